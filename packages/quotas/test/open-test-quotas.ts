import { systemClock } from '@animal-store/runtime';
import { createQuotas, type Quotas, type QuotasOptions } from '../src/create-quotas.ts';

/**
 * The start time of tests, in Unix time in milliseconds. It is not a whole second, because rounding
 * would not show there.
 */
export const startMs = 1_800_000_000_321;

/**
 * The prefix of the names in Redis. It is the service's prefix, because tests compare the service's
 * format.
 */
export const prefix = 'animal-store';

export type TestQuotas = Awaited<ReturnType<typeof openTestQuotas>>;

export type TestOptions = QuotasOptions & {
  /** The clock by which the stores decide, also Redis. */
  now?: () => number;
  /** The limit of each network. */
  networkPerMinute?: number;
};

/**
 * Opens quotas with an allowance for networks, in memory unless Redis is given. A failure of Redis
 * fails the test, because no replica decides in its place.
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
