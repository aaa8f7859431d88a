import { defaultBanPolicy, formatRateLimit, type Quota } from '@animal-store/contract';
import { createQuotaModel } from '@animal-store/testkit/quota-model';
import type { FetchFunction, FetchInit } from '../src/index.ts';

// A service that does nothing but count, behind a network: on a fake clock it takes no real time.

/** What happened so far. */
interface Tally {
  admitted: number;
  denied: number;
  banned: number;
}

export interface SimulatedService {
  tally: Tally;
  /** Counts a request of somebody else who uses the key. */
  take(): void;
  /**
   * Creates a way to the service.
   *
   * @param connections how many requests it carries at a time; the others queue.
   * @param latencyMs how long one request takes to arrive, or its answer.
   */
  connect(connections: number, latencyMs: () => number): FetchFunction;
}

export function simulateService(quota: Quota): SimulatedService {
  const model = createQuotaModel(defaultBanPolicy);
  const tally: Tally = { admitted: 0, denied: 0, banned: 0 };

  function answer(): Response {
    const decision = model.take(quota, Date.now());
    tally[decision.outcome]++;
    const headers = formatRateLimit(decision.reported, decision.windows);
    if (decision.outcome === 'admitted') return Response.json([], { headers });
    const code = decision.outcome === 'banned' ? 'key_temporarily_banned' : 'rate_limit_exceeded';
    return Response.json(
      { code, message: 'denied', status: 429 },
      { status: 429, headers: { ...headers, 'Retry-After': String(decision.retryAfterSeconds) } },
    );
  }

  return {
    tally,
    take: () => void answer(),
    connect(connections, latencyMs) {
      let busy = 0;
      const queue = new Set<() => void>();

      async function carry({ signal }: FetchInit): Promise<Response> {
        if (busy >= connections) {
          await new Promise<void>((resolve, reject) => {
            queue.add(resolve);
            signal.addEventListener('abort', () => {
              if (queue.delete(resolve)) reject(signal.reason);
            });
          });
        } else {
          busy++;
        }
        // An abort does not call back what is on its way.
        await sleep(latencyMs());
        const response = answer();
        await sleep(latencyMs());
        const [next] = queue;
        if (next === undefined) busy--;
        else {
          queue.delete(next);
          next();
        }
        signal.throwIfAborted();
        return response;
      }

      return (_url, init) => carry(init);
    },
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
