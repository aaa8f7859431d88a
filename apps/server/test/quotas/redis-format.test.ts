import { readFileSync } from 'node:fs';
import { type BanPolicy, defaultBanPolicy, type Quota } from '@animal-store/contract';
import type { ModelDecision } from '@animal-store/testkit/quota-model';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { openRedisQuotas } from './open-redis-quotas.ts';
import { isMove, play, policyOf, sequenceWithoutAccounts, startMs } from './quota-sequences.ts';
import { useRedis } from './use-redis.ts';

// During an update, replicas of the version before are on the same Redis. Here that version is its script.

const redis = useRedis();
let now = startMs;
afterEach(() => redis.connection.flushall());

const openNew = (banPolicy = defaultBanPolicy) =>
  openRedisQuotas({ banPolicy, redis: redis.connection, now: () => now });

const oldScript = readFileSync(new URL('redis-format-1.lua', import.meta.url), 'utf8');

/** A replica of format 1. */
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
    const asked = JSON.stringify([1, perMinute, perDay]);
    const reply = await redis.connection.eval(script, 1, `animal-store:key:{${id}}`, asked, now);
    const [, [admitted, minute, , day, , denied, banEnds]] = JSON.parse(reply as string);
    if (admitted === 0 && denied === 0) return { outcome: 'banned', until: toSeconds(banEnds) };
    const remaining = [perMinute - minute, perDay - day].map((left) => Math.max(0, left));
    return { outcome: admitted === 1 ? 'admitted' : 'denied', remaining };
  };
}

const toSeconds = (ms: number) => Math.ceil(ms / 1_000);

/** What a decision of this version says, as far as the reply of the old script says it. */
function seen({ outcome, reported, windows }: ModelDecision) {
  if (outcome === 'banned') return { outcome, until: reported.resetAt };
  return { outcome, remaining: windows.map(({ remaining }) => remaining) };
}

// Regression: format 1 was not read for a while. A key with 90 a minute was admitted 150 times.
test('replicas of format 1 and of this one decide about keys as one', async () => {
  let sequences = 0;
  await fc.assert(
    fc.asyncProperty(
      sequenceWithoutAccounts,
      fc.infiniteStream(fc.boolean()),
      async (it, areOld) => {
        sequences += 1;
        const policy = policyOf(it);
        const [askOld, quotas] = [openOld(policy), openNew(policy)];
        for (const event of play(it)) {
          if (isMove(event)) continue;
          const { atMs, key, quota, expected } = event;
          const id = `sequence ${sequences} key ${key}`;
          now = atMs;
          const told = areOld.next().value
            ? await askOld(id, quota)
            : seen(await quotas.keys.take({ id, quota }));
          expect(told).toEqual(seen(expected));
        }
      },
    ),
    { seed: 1, numRuns: 60 },
  );
});

test('a ban that began under format 1 can be ended', async () => {
  now = startMs;
  const quota = { perMinute: 1, perDay: 10 };
  const [askOld, { keys }] = [openOld({ ...defaultBanPolicy, graceMs: 0 }), openNew()];
  while ((await askOld('key', quota)).outcome !== 'banned');
  expect((await keys.take({ id: 'key', quota })).outcome).toBe('banned');
  await keys.unban({ id: 'key' });
  expect((await askOld('key', quota)).outcome).toBe('denied');
});

test('what format 1 counts of a network is left alone', async () => {
  const name = 'animal-store:network:203.0.113.0';
  const packed = Buffer.from('0000003c01a3185c9140', 'hex');
  await redis.connection.set(name, packed);
  expect((await openNew().networks.take('203.0.113.0')).outcome).toBe('admitted');
  expect(await redis.connection.getBuffer(name)).toEqual(packed);
});

// If it fails, you are making a new version: see `redis-format.ts`.
test('this is what format 2 writes', async () => {
  now = startMs;
  const { keys, networks, pages, statusRequests } = openNew();
  const quota = { perMinute: 1, perDay: 10 };
  for (const key of [
    { id: 'k', quota },
    { id: 'k', accountId: 'a', quota },
  ]) {
    await keys.take(key);
    await keys.take(key);
  }
  for (const allowance of [networks, pages, statusRequests]) await allowance.take('caller');
  const names = (await redis.connection.keys('*')).sort();
  const values = await Promise.all(names.map((name) => redis.connection.getBuffer(name)));
  expect(names.map((name, i) => `${name} ${values[i]?.toString('hex')}`)).toEqual([
    'animal-store:account:{a} 0000000101a3185d3ba10000000101a31d82ad41',
    `animal-store:account:{a}:ban:k 01a3185c5141${'0'.repeat(52)}`,
    'animal-store:allowance:network:caller 31',
    'animal-store:allowance:pages:caller 31',
    'animal-store:allowance:rate-limit-status:caller 31',
    `animal-store:key:{k} 0000000101a3185d3ba10000000101a31d82ad4101a3185c5141${'0'.repeat(52)}`,
  ]);
});
