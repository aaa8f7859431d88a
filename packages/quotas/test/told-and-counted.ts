import assert from 'node:assert/strict';
import { eventMs } from '@animal-store/testkit';
import { type RedisConnection, untilReady } from '../src/open-redis.ts';
import { createRedisNames } from '../src/redis-format.ts';
import { prefix, type TestQuotas } from './open-test-quotas.ts';

/** So wide that its share is a half that no request reaches either. */
const limit = 2_000_000;

export type Caller = Awaited<ReturnType<typeof createCallers>>[number];

/** For the quotas of these callers: two replicas that do not see each other while Redis is away. */
export const toldOptions = { networkPerMinute: limit, replicas: () => 2 };

/**
 * Creates keys, whose day is looked at, and networks, which have a minute only: it lasts an hour, so that none
 * ends during a test.
 *
 * @param options.apart how many requests each has used more than the one before: more than it will send, so
 * that a reply that was meant for another one is found out.
 */
export async function createCallers(
  undisturbed: TestQuotas,
  options: { connection: RedisConnection; count: number; apart: number },
) {
  const { connection, count, apart } = options;
  await untilReady(connection, { ms: eventMs });
  const callers = Array.from({ length: count }, (_, n) => {
    const id = crypto.randomUUID();
    const [isKey, quota] = [n % 2 === 0, { perMinute: limit, perDay: limit }];
    return {
      /** Where Redis has its count. */
      name: isKey
        ? `animal-store:key:{${id}}`
        : `${createRedisNames(prefix).allowanceOf('network')}:${id}`,
      usedBefore: n * apart,
      sent: 0,
      /** How much was used after each request that Redis decided, as it was told. */
      told: [] as number[],
      /** Sends a request, and gives what is left. A share of the replica may decide it. */
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
    if (usedBefore > 0) await take(undisturbed);
    // An allowance that ends later than its length ahead is taken for one from before a clock was set back.
    await connection.pexpire(name, name.includes(':allowance:') ? 60_000 : 3_600_000);
    await Promise.all(Array.from({ length: usedBefore - 1 }, () => take(undisturbed)));
  }
  return callers;
}

/** Sends one request, which may be decided by Redis or by the replica's share. */
export async function ask(caller: Caller, quotas: TestQuotas): Promise<void> {
  caller.sent += 1;
  const window = await caller.take(quotas);
  if (window?.limit === limit) caller.told.push(limit - window.remaining);
  else assert.equal(window?.limit, limit / 2, caller.name);
}

/**
 * Expects that each reply was taken for the request that it belongs to, and that no request was counted
 * twice. Asks once more, when Redis decides again.
 */
export async function expectToldAndCounted(callers: readonly Caller[], undisturbed: TestQuotas) {
  for (const { name, usedBefore, sent, told, take } of callers) {
    const { remaining = 0 } = (await take(undisturbed)) ?? {};
    const counted = limit - remaining - 1 - usedBefore;
    // A request whose reply was lost may have been counted, and was decided by a share as well.
    assert(
      told.length <= counted && counted <= sent,
      `${name}: ${counted} of ${sent} were counted`,
    );
    assert.equal(new Set(told).size, told.length, name);
    for (const used of told) {
      assert(used > usedBefore && used - usedBefore <= counted, `${name} was told ${used}`);
    }
  }
}
