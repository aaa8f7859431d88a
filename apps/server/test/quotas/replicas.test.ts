import { plans, type Quota } from '@animal-store/contract';
import { openRedis, type Redis, type Server, until } from '@animal-store/testkit';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  askAtOnce,
  type Replicas,
  type Reply,
  randomOf,
  startReplicas,
} from '../support/replicas.ts';

const isHeavy = inject('isHeavy');
const replicasOfThisRun = isHeavy ? 3 : 2;
/** Over how many of them a load is spread. */
const spreadsOfThisRun = isHeavy ? [1, 3] : [2];
/** How many requests come at once. */
const crowdOfThisRun = isHeavy ? 5_000 : 1_000;

const banSeconds = 10;

let redis: Redis;
let replicas: Replicas;

beforeAll(async () => {
  redis = await openRedis();
  const env = {
    REDIS_URL: redis.url,
    REPLICAS: String(replicasOfThisRun),
    TRUST_PROXY: '1',
    BAN_SECONDS: String(banSeconds),
    // A hundred limits' worth of strikes: what overloads a key here does not get it banned.
    BAN_STRIKE_PERCENT: '10000',
  };
  replicas = await startReplicas({ env: Array.from({ length: replicasOfThisRun }, () => env) });
});
afterAll(async () => {
  await replicas?.[Symbol.asyncDispose]();
  await redis?.close();
});

const ask = (server: Server, token?: string) => replicas.ask(server, token);
const isAdmitted = ({ status }: Reply) => status === 200;
const isBanned = ({ code }: Reply) => code === 'key_temporarily_banned';
const distinct = <T>(list: readonly T[]) => [...new Set(list)];

/** Sends so many requests at once to random ones of so many replicas. */
async function load(plan: 'free' | 'pro' | Quota, times: number, among: number) {
  const token = await replicas.createToken(plan);
  const servers = replicas.servers.slice(0, among);
  return { token, replies: await askAtOnce(replicas, { token, times, servers }) };
}

/** What holds of any load on a fresh key, in each window: a slow machine may need more than one minute. */
function expectExact(replies: readonly Reply[], limit: number): void {
  const windows = [...Map.groupBy(replies, ({ reset }) => reset).values()];
  for (const window of windows) expectExactWindow(window, limit);
  // One and the same reset within a window, whichever replica reports it.
  const resets = windows.map(([reply]) => reply?.reset ?? 0).sort((a, b) => a - b);
  for (const [i, reset] of resets.slice(1).entries()) {
    expect(reset - (resets[i] ?? 0)).toBeGreaterThanOrEqual(60);
  }
}

function expectExactWindow(replies: readonly Reply[], limit: number): void {
  const admitted = replies.filter(isAdmitted);
  expect(admitted).toHaveLength(Math.min(replies.length, limit));
  expect(distinct(replies.map(({ code }) => code ?? 'admitted'))).toEqual(
    replies.length > limit
      ? expect.arrayContaining(['admitted', 'rate_limit_exceeded'])
      : ['admitted'],
  );
  expect(distinct(replies.map((reply) => reply.limit))).toEqual([limit]);
  // Each value once, from the limit downwards; nothing for the others.
  expect(admitted.map(({ remaining }) => remaining).sort((a, b) => b - a)).toEqual(
    Array.from(admitted, (_, i) => limit - 1 - i),
  );
  const refused = replies.filter((reply) => !isAdmitted(reply));
  expect(refused.filter(({ remaining, status }) => remaining !== 0 || status !== 429)).toEqual([]);
}

describe.each(spreadsOfThisRun)('over %i replicas', (among) => {
  const loads = [0.9, 1, 3];

  describe.each(['free', 'pro'] as const)('the minute of a %s key', (plan) => {
    test.each(loads)(
      'admits exactly the limit when %f times as many requests come',
      async (times) => {
        const { perMinute, perDay } = plans[plan];
        const { token, replies } = await load(plan, perMinute * times, among);
        expectExact(replies, perMinute);
        // Those that were refused cost nothing of the day.
        const admitted = replies.filter(isAdmitted).length;
        const last = await ask(randomOf(replicas.servers), token);
        expect(last.windows['day']?.remaining).toBe(perDay - admitted - (isAdmitted(last) ? 1 : 0));
      },
    );
  });

  describe('the day of a key', () => {
    test.each(loads)(
      'admits exactly the limit when %f times as many requests come',
      async (times) => {
        const quota = { perMinute: 1_000, perDay: 100 };
        const { token, replies } = await load(quota, quota.perDay * times, among);
        expectExact(replies, quota.perDay);
        // Those that were refused cost nothing of the minute.
        const admitted = Math.min(quota.perDay * times, quota.perDay);
        const last = await ask(randomOf(replicas.servers), token);
        expect(last.windows['minute']?.remaining).toBe(
          quota.perMinute - admitted - (isAdmitted(last) ? 1 : 0),
        );
      },
    );
  });
});

test('of a crowd at once, a key of 60 admits 60, which cost 60 of the day', async () => {
  const { token, replies } = await load('free', crowdOfThisRun, replicasOfThisRun);
  expectExact(replies, 60);
  const last = await ask(randomOf(replicas.servers), token);
  const admitted = [...replies, last].filter(isAdmitted).length;
  expect(last.windows['day']?.remaining).toBe(plans.free.perDay - admitted);
});

test('requests without a key share the quota of their address', async () => {
  const headers = { 'X-Forwarded-For': '203.0.113.7' };
  const startedAt = Date.now();
  const replies = await Promise.all(
    Array.from({ length: 300 }, () => replicas.ask(randomOf(replicas.servers), undefined, headers)),
  );
  expect(replies.filter(({ status }) => status === 401)).toHaveLength(60);
  expect(replies.filter(({ status }) => status === 429)).toHaveLength(240);
  // Each replica adds to its own time what Redis says is left of the minute.
  const endedAt = Date.now();
  for (const { reset } of replies) {
    expect(reset).toBeGreaterThanOrEqual(Math.floor(startedAt / 1_000) + 60);
    expect(reset).toBeLessThanOrEqual(Math.ceil(endedAt / 1_000) + 60);
  }
  // Another address is not touched.
  const other = { 'X-Forwarded-For': '203.0.113.8' };
  const { status, remaining } = await replicas.ask(randomOf(replicas.servers), undefined, other);
  expect({ status, remaining }).toEqual({ status: 401, remaining: 59 });
});

test('a key that ignores its limit is banned on every replica, and the ban ends at its reset', async () => {
  const token = await replicas.createToken({ perMinute: 1, perDay: 1 });
  const askEach = () => Promise.all(replicas.servers.map((server) => ask(server, token)));
  const everywhere = await until(async () => {
    await askAtOnce(replicas, { token, times: 20, servers: replicas.servers });
    // On a slow machine, a ban may end before all replicas were asked. The next one is longer.
    const replies = await askEach();
    return replies.every(isBanned) && replies;
  });
  const reset = Math.max(...everywhere.map((reply) => reply.reset));
  expect(everywhere).toEqual(
    replicas.servers.map(() =>
      expect.objectContaining({ status: 429, limit: 1, remaining: 0, reset }),
    ),
  );

  // All replicas are asked until all have freed it. The ban's end was told in whole seconds, rounded up.
  const freed = await Promise.all(
    replicas.servers.map(async (server) => {
      let lastBannedAt = 0;
      const reply = await until(async () => {
        const askedAt = Date.now();
        const reply = await ask(server, token);
        if (!isBanned(reply)) return { code: reply.code, at: Date.now() };
        lastBannedAt = askedAt;
        return undefined;
      });
      return { ...reply, lastBannedAt };
    }),
  );
  for (const { code, at, lastBannedAt } of freed) {
    // Its day is still used up.
    expect(code).toBe('rate_limit_exceeded');
    expect(at).toBeGreaterThan((reset - 1) * 1_000);
    expect(lastBannedAt).toBeLessThan(reset * 1_000);
  }
});

// No other replica has seen the key, so none can remember what it has used.
test('counts survive a restart of all replicas that made them', async () => {
  const token = await replicas.createToken('free');
  const servers = replicas.servers.slice(0, 1);
  const before = await askAtOnce(replicas, { token, times: 40, servers });
  await replicas.restart(0);
  const after = await askAtOnce(replicas, { token, times: 40, servers: replicas.servers });
  expectExact([...before, ...after], 60);
});
