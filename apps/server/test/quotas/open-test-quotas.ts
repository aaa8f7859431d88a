import { defaultBanPolicy } from '@animal-store/contract';
import { systemClock } from '@animal-store/runtime';
import { type OpenQuotasOptions, openQuotas } from '../../src/quotas/open-quotas.ts';
import { defaultTimings } from '../../src/shared/timings.ts';

/** When tests begin, in Unix time in milliseconds. Not a whole second, where rounding would not show. */
export const startMs = 1_800_000_000_321;

/**
 * Opens quotas, in memory unless Redis is named. A failure of Redis fails the test: nothing decides in its
 * place.
 *
 * @param options.now the time to decide by, also in Redis.
 */
export async function openTestQuotas({
  now = Date.now,
  probeEveryMs = defaultTimings.quotas.probeEveryMs,
  ...options
}: Partial<OpenQuotasOptions> & { now?: () => number; probeEveryMs?: number } = {}) {
  const clock = { ...systemClock, now, elapsed: now };
  const quotas = await openQuotas({
    clock,
    quotaClock: clock,
    timings: { ...defaultTimings.quotas, firstConnectionTimeoutMs: 10_000, probeEveryMs },
    redisUrls: [],
    redisTimeoutMs: 60_000,
    replicas: () => 1,
    addressPerMinute: 60,
    banPolicy: defaultBanPolicy,
    onBreaker(state, reason) {
      if (state === 'open') throw reason;
    },
    onBan() {},
    ...options,
  });
  return { ...quotas, [Symbol.asyncDispose]: async () => quotas.close() };
}
