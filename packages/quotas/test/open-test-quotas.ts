import { systemClock } from '@animal-store/runtime';
import { patientQuotas } from '@animal-store/testkit';
import { createQuotas, type Quotas } from '../src/create-quotas.ts';
import type { QuotasOptions } from '../src/quotas-options.ts';

/**
 * The start time of tests, as Unix time in milliseconds. It is not a whole second, because errors
 * in rounding would not show at a whole second.
 */
export const startMs = 1_800_000_000_321;

/**
 * The prefix of the Redis keys. It is the prefix of the service, because some tests check the exact
 * Redis keys of the service.
 */
export const prefix = 'animal-store';

export type TestQuotas = Awaited<ReturnType<typeof openTestQuotas>>;

export type TestOptions = QuotasOptions & {
  /** The clock that all stores use for their decisions, also the store in Redis. */
  now?: () => number;
  /** The limit per minute of each network. */
  networkPerMinute?: number;
};

/**
 * Opens quotas and an allowance for networks. They are in memory unless the test passes a Redis. A
 * failure of Redis fails the test, because the replica of the service would otherwise decide alone
 * without notice.
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
    ...patientQuotas,
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
