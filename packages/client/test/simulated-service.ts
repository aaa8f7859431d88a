import { defaultBanPolicy, formatRateLimit, type Quota } from '@animal-store/contract';
import { createQuotaModel } from '@animal-store/testkit/quota-model';
import type { FetchFunction, FetchInit } from '../src/index.ts';

// This service only counts requests, behind a simulated network. All its waits use the fake clock,
// so tests take no real time.

/** A simulated connection between a client and the service. */
interface Connection {
  /** How many requests the connection carries at the same time. Further requests wait. */
  connections: number;
  /** Returns how long a request or a response travels. */
  latencyMs: () => number;
  /**
   * The share of requests that get no response, because their connection is lost. Half of them
   * reach the service.
   */
  faultShare: number;
  random: () => number;
  /** Returns whether the service is down, for example during a restart. */
  isDown: () => boolean;
}

/** The number of requests that the service has admitted, denied, or refused because of a ban. */
export type Tally = Record<'admitted' | 'denied' | 'banned', number>;

/**
 * Creates the simulated service.
 *
 * @param options with `isStripped`, a proxy removes the rate-limit headers, but not `Retry-After`.
 */
export function simulateService(quota: Quota, { isStripped }: { isStripped: boolean | undefined }) {
  const model = createQuotaModel(defaultBanPolicy);
  const tally: Tally = { admitted: 0, denied: 0, banned: 0 };

  const animals: string[] = [];
  const created = new Map<unknown, number>();

  /**
   * Adds an animal and returns its id. A repeated idempotency key returns the id of the first
   * animal.
   */
  function create({ headers, body = '' }: Pick<FetchInit, 'headers' | 'body'>): number {
    const key = headers['idempotency-key'] ?? Symbol('none');
    const id = created.get(key) ?? animals.push(body);
    created.set(key, id);
    return id;
  }

  function answer(request?: Pick<FetchInit, 'headers' | 'body'>): Response {
    const decision = model.take({ id: 'key', subject: 'key', quota }, Date.now());
    tally[decision.outcome]++;
    const headers = isStripped ? {} : formatRateLimit(decision.reported, decision.windows);
    if (decision.outcome === 'admitted') {
      return Response.json(request ? { id: create(request) } : {}, { status: 201, headers });
    }
    const code = decision.outcome === 'banned' ? 'key_temporarily_banned' : 'rate_limit_exceeded';
    return Response.json(
      { code, message: 'denied', status: 429 },
      { status: 429, headers: { ...headers, 'Retry-After': String(decision.retryAfterSeconds) } },
    );
  }

  return {
    tally,
    /** The request bodies of all added animals. */
    animals,
    /** Counts a request that another caller makes with the same API key. */
    take: () => void answer(),
    connect({ connections, latencyMs, faultShare, random, isDown }: Connection): FetchFunction {
      let busy = 0;
      const queue = new Set<() => void>();

      async function transport(init: FetchInit): Promise<Response> {
        const { signal } = init;
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
        // A request that is already on its way reaches the service even after an abort.
        await sleep(latencyMs());
        const chance = random();
        const isLost = isDown() || chance < faultShare / 2;
        const response = isLost ? undefined : answer(init);
        await sleep(latencyMs());
        const [next] = queue;
        if (next === undefined) busy--;
        else {
          queue.delete(next);
          next();
        }
        signal.throwIfAborted();
        if (response === undefined || chance < faultShare) throw new TypeError('fetch failed');
        return response;
      }

      return (_url, init) => transport(init);
    },
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
