import assert from 'node:assert/strict';
import { eventMs } from '@animal-store/testkit';
import { type RedisConnection, untilReady } from '../src/open-redis.ts';
import { createRedisNames } from '../src/redis-format.ts';
import { prefix, type TestQuotas } from './open-test-quotas.ts';

/**
 * A limit that no test reaches. While Redis is down, each of the two replicas applies half of the
 * limit. No test reaches this half, either.
 */
const limit = 2_000_000;

export type Caller = Awaited<ReturnType<typeof createCallers>>[number];

/**
 * Options for two replicas of the service. While Redis is down, each of them decides alone and
 * admits half of the limit.
 */
export const sharedLimitOptions = { networkPerMinute: limit, replicas: () => 2 };

/**
 * Creates callers that send requests in a test. Half of them are API keys, and the test checks the
 * count in their day window. The other half are networks, and the test checks the count in their
 * minute window. The count of a network expires in Redis after a minute, and the counts of an API
 * key expire after an hour.
 *
 * @param options.countGap the difference between the counts of two consecutive callers. It is larger
 *   than the number of requests, so that a reply to the wrong request is noticed.
 */
export async function createCallers(
  directQuotas: TestQuotas,
  options: { connection: RedisConnection; count: number; countGap: number },
) {
  const { connection, count, countGap } = options;
  await untilReady(connection, { ms: eventMs });
  const callers = Array.from({ length: count }, (_, n) => {
    const id = crypto.randomUUID();
    const [isKey, quota] = [n % 2 === 0, { perMinute: limit, perDay: limit }];
    return {
      /** The Redis key under which the count of the caller is stored. */
      name: isKey
        ? `animal-store:key:{${id}}`
        : `${createRedisNames(prefix).allowanceOf('network')}:${id}`,
      usedBefore: n * countGap,
      sent: 0,
      /** The counts that Redis has reported, one for each request that Redis decided. */
      reportedCounts: [] as number[],
      /**
       * Sends a request, and returns the reported window. The replica may have decided the request
       * alone. It then reports half of the limit.
       */
      async take({ keys, networks }: TestQuotas) {
        const { outcome, windows } = await (isKey
          ? keys.consume({ id, quota })
          : networks.take(id));
        assert.equal(outcome, 'admitted', id);
        return windows.at(-1);
      },
    };
  });
  for (const { name, usedBefore, take } of callers) {
    if (usedBefore > 0) await take(directQuotas);
    // In Redis, the count of a network expires within a minute, which is the length of its window.
    // With a longer expiry, the replica would conclude that the clock was set back, and would
    // delete the count.
    await connection.pexpire(name, name.includes(':allowance:') ? 60_000 : 3_600_000);
    await Promise.all(Array.from({ length: usedBefore - 1 }, () => take(directQuotas)));
  }
  return callers;
}

/**
 * Sends one request of a caller. Redis decides about the request, or the replica of the service
 * decides alone.
 */
export async function ask(caller: Caller, quotas: TestQuotas): Promise<void> {
  caller.sent += 1;
  const window = await caller.take(quotas);
  if (window?.limit === limit) caller.reportedCounts.push(limit - window.remaining);
  else assert.equal(window?.limit, limit / 2, caller.name);
}

/**
 * Asserts that each reply reached the right request, and that no request was counted twice. The
 * function sends one more request per caller, and Redis must decide this request. So call it only
 * when Redis works again.
 */
export async function expectCountedOnce(callers: readonly Caller[], directQuotas: TestQuotas) {
  for (const { name, usedBefore, sent, reportedCounts, take } of callers) {
    const { remaining = 0 } = (await take(directQuotas)) ?? {};
    const counted = limit - remaining - 1 - usedBefore;
    // If a reply was lost, Redis may have counted the request, although the replica of the service
    // has decided it alone. So Redis may have counted more requests than it has reported.
    assert(
      reportedCounts.length <= counted && counted <= sent,
      `${name}: ${counted} of ${sent} were counted`,
    );
    assert.equal(new Set(reportedCounts).size, reportedCounts.length, name);
    for (const used of reportedCounts) {
      assert(used > usedBefore && used - usedBefore <= counted, `${name} received ${used}`);
    }
  }
}
