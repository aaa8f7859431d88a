import type { Quota } from '@animal-store/contract';
import { defaultBanPolicy } from '@animal-store/contract';
import { createTestClock } from '@animal-store/runtime/test-clock';
import { openRedis, type Redis, until } from '@animal-store/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminOf, adminToken } from '../support/admin.ts';
import { type LocalServer, untilPassing } from '../support/local-server.ts';
import { logOf, sample, scrape } from '../support/observed.ts';
import {
  type Replicas,
  type Reply,
  randomOf,
  startReplicas,
  untilRedisDecides,
} from '../support/replicas.ts';

/** The deviations of the replicas' clocks from the right time, in milliseconds. */
const skewsMs = [0, 300_000, -300_000];

const isAdmitted = ({ status }: Reply) => status === 200;
const isBanned = ({ code }: Reply) => code === 'key_temporarily_banned';

const stack = new AsyncDisposableStack();
let redis: Redis;
let replicas: Replicas;
const quotaClock = createTestClock(Date.now());
const clocks = skewsMs.map((skewMs) => createTestClock(quotaClock.now() + skewMs));

// The clocks of the replicas stand still until a test advances them.
beforeAll(async () => {
  redis = stack.use(await openRedis());
  const options = {
    quotas: {
      redis: [redis.url],
      // A request with a refused API key counts against its network. All requests of the tests come
      // from the same address, so the limit of its network is very large.
      addressPerMinute: 1_000_000,
      // An API key is banned only when its strikes (denied requests that count towards a ban)
      // exceed 100 times its limit. So the many denied requests of these tests cause no ban.
      banPolicy: { ...defaultBanPolicy, banSeconds: 10, graceMs: 0, strikeShare: 100 },
    },
    ops: { adminToken },
    quotaClock,
  };
  replicas = stack.use(await startReplicas(clocks.map((clock) => ({ ...options, clock }))));
  await untilRedisDecides(replicas);
});
afterAll(() => stack.disposeAsync());

/** Returns the admin API of a random replica. */
const anyAdmin = () => adminOf(randomOf(replicas.servers));
const askEach = (token: string) =>
  Promise.all(replicas.servers.map((server) => replicas.ask(server, token)));
/** Repeats a request to each replica until all responses are as expected. */
const untilEach = (token: string, isWanted: (reply: Reply) => boolean) =>
  until(async () => (await askEach(token)).every(isWanted));

/** Creates several API keys in an account with a shared quota, and returns their tokens. */
async function createTokens(account: string, quota: Quota, count: number): Promise<string[]> {
  const admin = anyAdmin();
  const plan = JSON.stringify({ plan: 'enterprise', quota });
  await admin.call(`/accounts/${account}`, { method: 'PUT', json: plan });
  const json = JSON.stringify({ account, plan: 'business' });
  const issued = Array.from({ length: count }, () => admin.create(json));
  return (await Promise.all(issued)).map(({ token }) => token);
}

// `quota-rule.test.ts` tests the daily limit with a Redis Cluster.
test('several replicas together admit exactly the daily limit of an account when 400 requests arrive at the same time', async () => {
  const tokens = await createTokens('loaded', { perMinute: 1_000, perDay: 100 }, 20);
  const replies = await replicas.askAtOnce(400, ...tokens);
  const admitted = replies.filter(isAdmitted);
  // The responses report each number of remaining requests from 99 to 0 exactly once.
  expect(admitted.map(({ remaining }) => remaining).sort((a, b) => b - a)).toEqual(
    Array.from({ length: 100 }, (_, i) => 99 - i),
  );
  const reset = Math.ceil(quotaClock.now() / 1_000 + 86_400);
  for (const reply of replies) {
    expect(reply).toMatchObject({ limit: 100, reset });
    if (isAdmitted(reply)) continue;
    const denial = { code: 'rate_limit_exceeded', remaining: 0, retryAfter: 86_400 };
    expect(reply).toMatchObject(denial);
  }
  // The denied requests did not use up the limit per minute.
  const [last] = await replicas.askAtOnce(1, ...tokens);
  expect(last?.leftOfMinute).toBe(900);
});

// The clocks stand still, so cached API keys do not expire. The replicas learn about the change
// only from the message of the replica that has made the change.
test('a change of an API key on one replica applies on all replicas, and keeps the request counts', async () => {
  const { key, token } = await anyAdmin().create('{"plan":"free"}');
  await askEach(token);
  await anyAdmin().call(`/keys/${key.id}`, { method: 'PATCH', json: '{"plan":"pro"}' });
  await untilEach(token, ({ limit }) => limit === 300);
  const [{ remaining = 0 } = {}] = await askEach(token);
  expect(remaining).toBeLessThanOrEqual(300 - 2 * replicas.servers.length);
  await anyAdmin().call(`/keys/${key.id}/revoke`, { method: 'POST' });
  await untilEach(token, ({ status }) => status === 401);
});

test('an API key stays banned when its account loses its plan, and the other API keys of the account are not banned', async () => {
  const tokens = await createTokens('hammered', { perMinute: 1, perDay: 100 }, 2);
  const [hammering = '', sibling = ''] = tokens;
  await askEach(sibling);
  await replicas.askAtOnce(150, hammering);
  expect((await askEach(hammering)).every(isBanned)).toBe(true);
  expect((await askEach(sibling))[0]?.code).toBe('rate_limit_exceeded');
  await anyAdmin().call('/accounts/hammered', { method: 'PUT', json: '{"plan":null}' });
  await untilEach(sibling, ({ limit }) => limit === 1_000);
  expect((await askEach(hammering)).every(isBanned)).toBe(true);
});

test("each replica admits an equal share of an account's limit while Redis is down, and a larger share when another replica has stopped", async () => {
  const quota = { perMinute: 1_000, perDay: 29 };
  const shared = await createTokens('shared', quota, 3);
  const alone = await replicas.createToken(quota);
  const untilCounted = (count: number) =>
    until(async () => {
      const metrics = await Promise.all(replicas.servers.map(scrape));
      return metrics.every((text) => sample(text, 'animal_store_replicas') === count);
    });
  await untilCounted(3);
  await redis.kill();
  for (const [i, server] of replicas.servers.entries()) {
    const ask = (tokens: readonly string[]) =>
      Promise.all(
        Array.from({ length: 24 }, (_, n) => replicas.ask(server, tokens[n % tokens.length] ?? '')),
      );
    for (const replies of [await ask(shared), await ask([alone])]) {
      // With three replicas, each replica admits a third of the limit of 29, rounded up.
      expect(replies.filter(isAdmitted)).toHaveLength(10);
      const [last] = replies.filter((reply) => !isAdmitted(reply));
      const resetAt = Math.ceil((clocks[i]?.now() ?? 0) / 1_000 + 86_400);
      expect(last).toMatchObject({ code: 'rate_limit_exceeded', limit: 10, reset: resetAt });
    }
  }
  await replicas.stop(2);
  await untilCounted(2);
  // Redis is still down, and two replicas are left. Each of them now admits half of the limit of
  // 29, rounded up. The first replica had already admitted ten requests, and this request is the
  // eleventh.
  expect((await askEach(alone))[0]).toMatchObject({ limit: 15, remaining: 4 });
  await redis.restart();
  await untilRedisDecides(replicas);
});

test('a replica without Redis logs a warning when it receives the heartbeat of another replica', async () => {
  const started = [0, 1].map(() => ({ clock: createTestClock(Date.now()) }));
  await using unshared = await startReplicas(started);
  const [first] = unshared.servers;
  const warning = () =>
    logOf(first as LocalServer).find(({ msg }) => msg.includes('without Redis'));
  await untilPassing(unshared.servers, () => warning() !== undefined);
  expect(warning()).toMatchObject({ level: 'warn', replicas: 2 });
});
