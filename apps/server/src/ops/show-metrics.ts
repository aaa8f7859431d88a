import type { RequestHandler } from 'express';
import type { Metrics } from '../observability/metrics.ts';

/** Responds to scrapes of Prometheus. */
export function showMetrics(metrics: Metrics): RequestHandler {
  return async function answerScrape(_req, res) {
    const text = await metrics.show();
    res.setHeader('Content-Type', metrics.contentType);
    res.end(text);
  };
}
