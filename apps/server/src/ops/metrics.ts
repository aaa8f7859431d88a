import express, { type Express, type RequestHandler } from 'express';
import type { Metrics } from '../observability/metrics.ts';

/** Answers what Prometheus scrapes. */
export function showMetrics(metrics: Metrics): RequestHandler {
  return async function answerScrape(_req, res) {
    const text = await metrics.show();
    res.setHeader('Content-Type', metrics.contentType);
    res.end(text);
  };
}

/** The operators' listener, as far as it is there. */
export function createMetricsApp(metrics: Metrics): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.get('/metrics', showMetrics(metrics));
  return app;
}
