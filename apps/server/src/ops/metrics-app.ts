import express, { type Express } from 'express';
import type { Metrics } from '../observability/metrics.ts';
import { showMetrics } from './metrics.ts';

/** The operators' listener, as far as it is there. */
export function createMetricsApp(metrics: Metrics): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.get('/metrics', showMetrics(metrics));
  return app;
}
