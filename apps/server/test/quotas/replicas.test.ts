import type { Quota } from '@animal-store/contract';
import type { IssuedSession } from '@animal-store/contract/admin';
import { openRedis, type Redis, until } from '@animal-store/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Admin, adminOf, adminToken } from '../support/admin.ts';
import { sample, scrape } from '../support/observed.ts';
import {
  askAtOnce,
  type Replicas,
  type Reply,
  randomOf,
  startReplicas,
  untilRedisDecides,
} from '../support/replicas.ts';
import { createTestClock } from '../support/test-clock.ts';

/** How far the clocks of the replicas are off. */
const skewsMs = [0, 300_000, -300_000];
const minuteMs = 60_000;

const isAdmitted = ({ status }: Reply) => status === 200;
const isBanned = ({ code }: Reply) => code === 'key_temporarily_banned';

/** Three replicas on a Redis of their own, whose clocks stand still until a test moves them. */
function useThreeReplicas() {
  const stack = new AsyncDisposableStack();
  let redis: Redis;
  let replicas: Replicas;
  const quotaClock = createTestClock(Date.now());
  const clocks = skewsMs.map((skewMs) => createTestClock(quotaClock.now() + skewMs));

  const anyAdmin = () => adminOf(randomOf(replicas.servers));

  beforeAll(async () => {
    redis = stack.use(await openRedis());
    const env = {
      REDIS_URL: redis.url,
      REDIS_TIMEOUT_MS: '5000',
      ADMIN_TOKEN: adminToken,
      // A refused key counts for its address, and all here come from one.
      ADDRESS_PER_MINUTE: '1000000',
      BAN_SECONDS: '10',
      BAN_GRACE_MS: '0',
      // A hundred limits' worth of strikes: what overloads a key here does not get it banned.
      BAN_STRIKE_PERCENT: '10000',
    };
    const times = clocks.map((clock) => ({ clock, quotaClock }));
    replicas = stack.use(await startReplicas([env, env, env], times));
    await untilRedisDecides(replicas);
  });
  afterAll(() => stack.disposeAsync());

  return {
    quotaClock,
    clocks,
    get redis() {
      return redis;
    },
    get replicas() {
      return replicas;
    },
    /** The operators' API of one of them, whichever it is. */
    get admin(): Admin {
      return anyAdmin();
    },
    askEach: (token: string) =>
      Promise.all(replicas.servers.map((server) => replicas.ask(server, token))),

    /** Sends so many requests at once to random replicas. */
    load: (tokens: readonly string[], times: number) =>
      Promise.all(
        Array.from({ length: times }, (_, i) =>
          replicas.ask(randomOf(replicas.servers), tokens[i % tokens.length]),
        ),
      ),

    /** Tokens of keys that share a quota; of one key without an account. */
    async createTokens(
      quota: Quota,
      count: number,
      account: string = crypto.randomUUID(),
    ): Promise<string[]> {
      if (count === 1) return [await replicas.createToken(quota)];
      const admin = anyAdmin();
      await admin.call(`/accounts/${account}`, {
        method: 'PUT',
        json: JSON.stringify({ plan: 'enterprise', quota }),
      });
      const json = JSON.stringify({ account, plan: 'business' });
      const issued = Array.from({ length: count }, () => admin.create(json));
      return (await Promise.all(issued)).map(({ token }) => token);
    },
  };
}

// On a Cluster: quota-rule.test.ts.
describe('three replicas', () => {
  const three = useThreeReplicas();
  const { quotaClock, clocks, askEach, load, createTokens } = three;
  const inSeconds = (seconds: number) => Math.ceil(quotaClock.now() / 1_000 + seconds);

  /** What holds of any load on fresh keys: all replicas decide, and report, as one. */
  function expectExact(replies: readonly Reply[], limit: number, resetInSeconds: number): void {
    const admitted = replies.filter(isAdmitted);
    const refused = replies.filter((reply) => !isAdmitted(reply));
    expect(admitted).toHaveLength(Math.min(replies.length, limit));
    // Each number once, from the limit downwards.
    expect(admitted.map(({ remaining }) => remaining).sort((a, b) => b - a)).toEqual(
      Array.from(admitted, (_, i) => limit - 1 - i),
    );
    for (const reply of replies) {
      expect(reply).toMatchObject({ limit, reset: inSeconds(resetInSeconds) });
    }
    for (const reply of refused) {
      const told = { code: 'rate_limit_exceeded', remaining: 0, retryAfter: resetInSeconds };
      expect(reply).toMatchObject(told);
    }
  }

  test.each([
    { of: 'the minute of a key', keys: 1, perMinute: 60, perDay: 1_000 },
    { of: 'the day of an account with 20 keys', keys: 20, perMinute: 1_000, perDay: 100 },
  ])(
    '$of admits exactly the limit of 400 requests at once',
    async ({ keys, perMinute, perDay }) => {
      const quota = { perMinute, perDay };
      const tokens = await createTokens(quota, keys);
      const isOfDay = quota.perDay < quota.perMinute;
      const replies = await load(tokens, 400);
      expectExact(replies, isOfDay ? 100 : 60, isOfDay ? 86_400 : 60);
      // Those that were refused cost nothing of the other window.
      const [last] = await load(tokens, 1);
      expect(last?.windows[isOfDay ? 'minute' : 'day']?.remaining).toBe(isOfDay ? 900 : 940);
    },
  );

  test('a key that ignores its limit is banned on every replica, and the ban ends at its reset', async () => {
    const token = await three.replicas.createToken({ perMinute: 1, perDay: 1 });
    await load([token], 150);
    for (const reply of await askEach(token)) {
      expect(isBanned(reply)).toBe(true);
      const told = { limit: 1, remaining: 0, reset: inSeconds(10), retryAfter: 10 };
      expect(reply).toMatchObject(told);
    }
    const advance = (ms: number) =>
      Promise.all([quotaClock, ...clocks].map((clock) => clock.advance(ms)));
    await advance(9_999);
    expect((await askEach(token)).every(isBanned)).toBe(true);
    await advance(1);
    // Its day is still used up.
    for (const { code } of await askEach(token)) expect(code).toBe('rate_limit_exceeded');
  });

  test('counts survive a restart of the replica that made them', async () => {
    const token = await three.replicas.createToken('free');
    const servers = three.replicas.servers.slice(0, 1);
    const before = await askAtOnce(three.replicas, { token, times: 40, servers });
    await three.replicas.restart(0);
    expectExact([...before, ...(await load([token], 40))], 60, 60);
  });

  // Their clocks stand still, so no cached key expires: a change applies because it is announced.
  describe('a change through one of them', () => {
    /** Waits until all replicas reply as wanted, to each key. */
    const untilAll = (tokens: readonly string[], isWanted: (reply: Reply) => boolean) =>
      until(async () => (await Promise.all(tokens.map(askEach))).flat().every(isWanted));

    test('of a key applies everywhere: a plan, with the counts, a suspension, a resumption, a revocation', async () => {
      const { key, token } = await three.admin.create('{"plan":"free"}');
      const path = `/keys/${key.id}`;
      const post = (action: string) => three.admin.call(`${path}/${action}`, { method: 'POST' });
      await askEach(token);
      await three.admin.call(path, { method: 'PATCH', json: '{"plan":"pro"}' });
      await untilAll([token], ({ limit }) => limit === 300);
      const [{ remaining = 0 } = {}] = await askEach(token);
      expect(remaining).toBeLessThanOrEqual(300 - 2 * skewsMs.length);
      for (let n = 0; n < 5; n += 1) {
        await post('suspend');
        await untilAll([token], ({ code }) => code === 'key_suspended');
        await post('resume');
        await untilAll([token], isAdmitted);
      }
      await post('revoke');
      await untilAll([token], ({ status }) => status === 401);
    });

    test('of a token leaves the one before valid everywhere, beside the new one', async () => {
      const { key, token } = await three.admin.create('{"plan":"business"}');
      await askEach(token);
      const json = '{"graceSeconds":60}';
      const rotating = three.admin.call(`/keys/${key.id}/rotate`, { json });
      for (let n = 0; n < 5; n += 1) expect((await askEach(token)).every(isAdmitted)).toBe(true);
      const { token: next } = (await rotating).body as { token: string };
      for (const one of [next, token]) expect((await askEach(one)).every(isAdmitted)).toBe(true);
    });

    test('of an account applies everywhere: a plan, none, a suspension, a resumption', async () => {
      const tokens = await createTokens({ perMinute: 50, perDay: 500 }, 2, 'changing');
      const post = (action: string) =>
        three.admin.call(`/accounts/changing/${action}`, { method: 'POST' });
      const put = (json: string) => three.admin.call('/accounts/changing', { method: 'PUT', json });
      await untilAll(tokens, ({ limit }) => limit === 50);
      await put('{"plan":"free"}');
      await untilAll(tokens, ({ limit }) => limit === 60);
      await put('{"plan":null}');
      await untilAll(tokens, ({ limit }) => limit === 1_000);
      await post('suspend');
      await untilAll(tokens, ({ status }) => status === 403);
      await post('resume');
      await untilAll(tokens, isAdmitted);
    });

    test('that takes its plan from an account lets a ban go along with its key, and siblings have none', async () => {
      const tokens = await createTokens({ perMinute: 1, perDay: 100 }, 2, 'hammered');
      const [hammering = '', sibling = ''] = tokens;
      await askEach(sibling);
      await load([hammering], 150);
      expect((await askEach(hammering)).every(isBanned)).toBe(true);
      expect((await askEach(sibling))[0]?.code).toBe('rate_limit_exceeded');
      await three.admin.call('/accounts/hammered', { method: 'PUT', json: '{"plan":null}' });
      await untilAll([sibling], ({ limit }) => limit === 1_000);
      expect((await askEach(hammering)).every(isBanned)).toBe(true);
    });

    test('that ends a session ends it everywhere', async () => {
      const [one, other] = three.replicas.servers.map(adminOf) as [Admin, Admin];
      const begun = await one.call('/sessions', { method: 'POST' });
      const { token } = begun.body as IssuedSession;
      expect((await other.call('/keys', { token })).status).toBe(200);
      await other.call('/sessions/current', { method: 'DELETE', token });
      expect((await one.call('/keys', { token })).status).toBe(401);
    });
  });
});

describe('three replicas whose Redis is away', () => {
  const three = useThreeReplicas();

  test('each admits its share, to all keys of an account together, by its own clock, and more when one stops', async () => {
    const quota = { perMinute: 1_000, perDay: 29 };
    const { replicas, clocks } = three;
    const shared = await three.createTokens(quota, 3);
    const alone = await three.createTokens(quota, 1);
    const untilCounted = (count: number) =>
      until(async () => {
        const metrics = await Promise.all(replicas.servers.map(scrape));
        return metrics.every((text) => sample(text, 'animal_store_replicas') === count);
      });
    await untilCounted(3);
    await three.redis.kill();
    for (const [i, server] of replicas.servers.entries()) {
      const ask = (tokens: readonly string[]) =>
        Promise.all(
          Array.from({ length: 24 }, (_, n) => replicas.ask(server, tokens[n % tokens.length])),
        );
      for (const replies of [await ask(shared), await ask(alone)]) {
        // A third, rounded up.
        expect(replies.filter(isAdmitted)).toHaveLength(10);
        const [last] = replies.filter((reply) => !isAdmitted(reply));
        const resetAt = Math.ceil(((clocks[i]?.now() ?? 0) + 1_440 * minuteMs) / 1_000);
        expect(last).toMatchObject({ code: 'rate_limit_exceeded', limit: 10, reset: resetAt });
      }
    }
    await replicas.stop(2);
    await untilCounted(2);
    const [limited] = await three.askEach(alone[0] ?? '');
    // Half, rounded up.
    expect(limited).toMatchObject({ limit: 15, remaining: 4 });
  });
});
