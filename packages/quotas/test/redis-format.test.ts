import { readFileSync } from 'node:fs';
import type { ModelDecision } from '@animal-store/testkit/quota-model';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { type BanPolicy, defaultBanPolicy, type Quota } from '../src/index.ts';
import type { TestQuotas } from './open-test-quotas.ts';
import { startMs } from './open-test-quotas.ts';
import { play, policies, sequenceWithoutAccounts } from './quota-sequences.ts';
import { useRedis } from './use-redis.ts';

// During an update, replicas of the previous version of the service use the same Redis. In these
// tests, the Lua script of the previous version takes the place of these replicas.

const redis = useRedis();
let now = startMs;
afterEach(() => redis.connection.flushall());

const openNew = (banPolicy = defaultBanPolicy) => redis.openQuotas({ banPolicy, now: () => now });

const oldScript = readFileSync(new URL('redis-format-1.lua', import.meta.url), 'utf8');

/**
 * Opens a replica of the previous version, which stores data in format 1 (see `redis-format.ts`).
 */
function openOld(policy: BanPolicy) {
  const constants = {
    GRACE: policy.graceMs,
    MIN_STRIKES: policy.minStrikes,
    STRIKE_SHARE: policy.strikeShare,
    STRIKE_WINDOW: policy.strikeWindowSeconds * 1_000,
    FIRST_BAN: policy.banSeconds * 1_000,
    LONGEST_BAN: policy.maxBanSeconds * 1_000,
    BAN_MEMORY: policy.memorySeconds * 1_000,
  };
  const locals = Object.entries(constants).map(([name, value]) => `local ${name} = ${value}\n`);
  const script = locals.join('') + oldScript;
  return async (id: string, { perMinute, perDay }: Quota) => {
    const request = JSON.stringify([1, perMinute, perDay]);
    const reply = await redis.connection.eval(script, 1, `animal-store:key:{${id}}`, request, now);
    const [, [admitted, minute, , day, , denied, banEnds]] = JSON.parse(reply as string);
    if (admitted === 0 && denied === 0) return { outcome: 'banned', until: toSeconds(banEnds) };
    const remaining = [perMinute - minute, perDay - day].map((left) => Math.max(0, left));
    return { outcome: admitted === 1 ? 'admitted' : 'denied', remaining };
  };
}

const toSeconds = (ms: number) => Math.ceil(ms / 1_000);

/**
 * Returns the parts of a decision that can be compared with the reply of the previous version's
 * script.
 */
function seen({ outcome, reported, windows }: ModelDecision) {
  if (outcome === 'banned') return { outcome, until: reported.resetAt };
  return { outcome, remaining: windows.map(({ remaining }) => remaining) };
}

// Regression: an early build of this version did not read the data of the previous version, so it
// counted from 0. An API key with a limit of 90 requests a minute was admitted 150 times.
test('replicas of the previous version and of this version share their counts in Redis, and an unban ends the bans of both versions', async () => {
  let sequences = 0;
  const news = new Map<string, TestQuotas>();
  for (const [name, policy] of Object.entries(policies)) news.set(name, await openNew(policy));
  await fc.assert(
    fc.asyncProperty(
      sequenceWithoutAccounts,
      fc.infiniteStream(fc.boolean()),
      async (it, areOld) => {
        sequences += 1;
        const policy = policies[it.policy];
        const [askOld, { keys }] = [openOld(policy), news.get(it.policy) as TestQuotas];
        const idOf = (key: number) => `sequence ${sequences} key ${key}`;
        for (const event of play(it)) {
          if ('unbanned' in event) await keys.unban({ id: idOf(event.unbanned) });
          if (!('burst' in event)) continue;
          now = event.atMs;
          for (const { key, quota, expected } of event.burst) {
            const id = idOf(key);
            const decision = areOld.next().value
              ? await askOld(id, quota)
              : seen(await keys.consume({ id, quota }));
            expect(decision).toEqual(seen(expected));
          }
        }
      },
    ),
    { seed: 1, numRuns: 25 },
  );
});

// If this test fails, your change has modified the format in Redis. The format then needs a new
// version: see `redis-format.ts`.
test('the quotas write only the Redis keys and values that redis-format.ts describes, and every Redis key expires', async () => {
  now = startMs;
  const { keys, networks } = await openNew();
  const quota = { perMinute: 1, perDay: 10 };
  for (const key of [
    { id: 'k', quota },
    { id: 'k', accountId: 'a', quota },
  ]) {
    await keys.consume(key);
    await keys.consume(key);
  }
  await networks.take('caller');
  await redis.connection.del('animal-store:probe');
  const names = (await redis.connection.keys('*')).sort();
  const values = await Promise.all(names.map((name) => redis.connection.getBuffer(name)));
  expect(names.map((name, i) => `${name} ${values[i]?.toString('hex')}`)).toEqual([
    'animal-store:account:{a} 0000000101a3185d3ba10000000101a31d82ad41',
    `animal-store:account:{a}:ban:k 01a3185c5141${'0'.repeat(52)}`,
    'animal-store:allowance:network:caller 31',
    `animal-store:key:{k} 0000000101a3185d3ba10000000101a31d82ad4101a3185c5141${'0'.repeat(52)}`,
  ]);
  // The longest window lasts a day. With a fake clock, the scripts store the state for one more
  // minute (see `decide.lua`). So each value must expire within a day and a minute.
  const expiresMs = await Promise.all(names.map((name) => redis.connection.pttl(name)));
  expect(expiresMs.filter((ms) => ms < 1 || ms > 86_460_000)).toEqual([]);
});
