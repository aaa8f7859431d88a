import type { Consumer } from './consumer.ts';
import type { Quotas } from './create-quotas.ts';
import { quotaHeaders } from './quota-headers.ts';

/**
 * The part of a response that the middleware uses. The responses of Express and of Node's `http`
 * have these members.
 */
interface Answer {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

/**
 * Creates an Express middleware. It decides each request, sets the quota headers, and responds with
 * 429 if the request is refused. Only admitted requests are counted.
 *
 * @param consumerOf returns the consumer (a caller with a quota) that made a request, or
 *   `undefined` to admit the request without counting it.
 */
export function limitRequests<Request, Response extends Answer>(
  quotas: Pick<Quotas, 'consume'>,
  consumerOf: (req: Request, res: Response) => Consumer | undefined | Promise<Consumer | undefined>,
) {
  return async (req: Request, res: Response, next: (error?: unknown) => void): Promise<void> => {
    try {
      const consumer = await consumerOf(req, res);
      if (consumer === undefined) {
        next();
        return;
      }
      const decision = await quotas.consume(consumer);
      const headers = quotaHeaders(decision);
      for (const name in headers) res.setHeader(name, headers[name] as string);
      if (decision.outcome === 'admitted') {
        next();
        return;
      }
      res.statusCode = 429;
      res.setHeader('Content-Type', 'application/json; charset=utf-8');
      const { retryAfterSeconds, outcome } = decision;
      const message = `Too many requests. Retry after ${retryAfterSeconds} s.`;
      res.end(JSON.stringify({ code: outcome, message, retryAfterSeconds }));
    } catch (error) {
      next(error);
    }
  };
}
