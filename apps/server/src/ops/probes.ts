import { rateLimitHeaders } from '@animal-store/contract';
import type { RequestHandler } from 'express';
import { setHeader } from '../http/note-headers.ts';
import { send } from '../http/send-response.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Health } from './health.ts';

/** The `Retry-After` of a replica that is not ready. */
const notReadyRetrySeconds = 1;

/** Creates what answers machines that look after the service, by path. They need no token. */
export function createProbes(
  health: Pick<Health, 'report'>,
  metrics: Metrics,
): Readonly<Record<string, RequestHandler>> {
  return {
    '/livez': function answerLiveness(_req, res) {
      res.json({ status: 'alive' });
    },

    '/readyz': async function answerReadiness(_req, res) {
      const readiness = await health.report();
      if (readiness.reasons.length > 0) res.locals.reasons = readiness.reasons;
      if (readiness.status === 'not_ready') {
        setHeader(res.status(503), rateLimitHeaders.retryAfter, String(notReadyRetrySeconds));
      }
      res.json(readiness);
    },

    '/metrics': async function answerScrape(_req, res) {
      const text = await metrics.show();
      setHeader(res, 'Content-Type', metrics.contentType);
      send(res, text);
    },
  };
}
