import { systemClock } from '@animal-store/runtime';
import { createQuotas, type Quotas, type QuotasOptions } from '../src/create-quotas.ts';

/** When tests begin, in Unix time in milliseconds. Not a whole second, where rounding would not show. */
export const startMs = 1_800_000_000_321;

/** In front of the names in Redis: that of the service, whose format the tests compare. */
export const prefix = 'animal-store';

export type TestQuotas = Awaited<ReturnType<typeof openTestQuotas>>;

export type TestOptions = QuotasOptions & {
  /** The time to decide by, also in Redis. */
  now?: () => number;
  /** The limit of each network. */
  networkPerMinute?: number;
};

/**
 * Opens quotas, in memory unless Redis is named, with an allowance for networks. A failure of Redis fails the test:
 * nothing decides in its place.
 */
export async function openTestQuotas({
  now = Date.now,
  networkPerMinute = 60,
  ...options
}: TestOptions = {}) {
  const clock = { ...systemClock, now, elapsed: now };
  const keys: Quotas = await createQuotas({
    clock,
    redisClock: clock,
    prefix,
    timeoutMs: 60_000,
    firstConnectionTimeoutMs: 10_000,
    onBreaker(state, reason) {
      if (state === 'open') throw reason;
    },
    ...options,
  });
  return {
    keys,
    networks: keys.createAllowance('network', { perMinute: networkPerMinute }),
    close: keys.close,
    [Symbol.asyncDispose]: async () => keys.close(),
  };
}
