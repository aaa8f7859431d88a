import type { RequestHandler } from 'express';
import { setHeader } from '../http/note-headers.ts';
import { send } from '../http/send-response.ts';
import type { Metrics } from '../observability/metrics.ts';

/** Responds to scrapes of Prometheus. */
export function showMetrics(metrics: Metrics): RequestHandler {
  return async function answerScrape(_req, res) {
    const text = await metrics.show();
    setHeader(res, 'Content-Type', metrics.contentType);
    send(res, text);
  };
}
