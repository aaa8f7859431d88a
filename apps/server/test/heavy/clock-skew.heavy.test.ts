import { openRedis, type Redis } from '@animal-store/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askAtOnce, type Replicas, startReplicas } from '../support/replicas.ts';

const fiveMinutesMs = 300_000;

/** Runs a server whose wall clock is off by so much. */
function offBy(ms: number): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${new URL(`../support/shifted-clock.ts?ms=${ms}`, import.meta.url)}`,
  };
}

const names = ['right', 'fast', 'slow'] as const;

let redis: Redis;
let replicas: Replicas;

beforeAll(async () => {
  redis = await openRedis();
  const env = { REDIS_URL: redis.url, REPLICAS: '3', BAN_SECONDS: '60' };
  replicas = await startReplicas({
    env: [env, { ...env, ...offBy(fiveMinutesMs) }, { ...env, ...offBy(-fiveMinutesMs) }],
  });
});
afterAll(async () => {
  await replicas?.[Symbol.asyncDispose]();
  await redis?.close();
});

/** Asks each of the three once. */
async function askEach(token: string) {
  const replies = [];
  for (const [index, name] of names.entries()) {
    const server = replicas.servers[index];
    if (server === undefined) throw new Error(`There is no replica that is ${name}.`);
    replies.push({ name, ...(await replicas.ask(server, token)) });
  }
  return replies;
}

test('replicas whose clocks differ by minutes admit exactly the limit and report the same reset', async () => {
  const token = await replicas.createToken('free');
  const startedAt = Date.now();
  const replies = await askAtOnce(replicas, { token, times: 200, servers: replicas.servers });
  const endedAt = Date.now();

  expect(replies.filter(({ status }) => status === 200)).toHaveLength(60);
  const [reset = 0, ...others] = new Set(replies.map((reply) => reply.reset));
  expect(others).toEqual([]);
  // By the right clock, rounded up to a second.
  expect(reset).toBeGreaterThanOrEqual(Math.ceil((startedAt + 60_000) / 1_000));
  expect(reset).toBeLessThanOrEqual(Math.ceil((endedAt + 60_000) / 1_000));
});

test('all of them report the same Retry-After, to a second', async () => {
  const token = await replicas.createToken({ perMinute: 1, perDay: 100 });
  const startedAt = Date.now();
  const [first, ...refused] = [...(await askEach(token)), ...(await askEach(token))];
  const tookSeconds = Math.ceil((Date.now() - startedAt) / 1_000);
  expect(first).toMatchObject({ name: 'right', status: 200 });
  for (const { name, status, reset, retryAfter, windows } of refused) {
    expect({ name, status, reset }).toEqual({ name, status: 429, reset: first?.reset });
    expect(retryAfter).toBe(windows['minute']?.seconds);
    expect(60 - retryAfter).toBeLessThanOrEqual(tookSeconds);
    expect(retryAfter).toBeLessThanOrEqual(60);
  }
});

test('a ban by one replica applies on the others and ends at the same time', async () => {
  const token = await replicas.createToken({ perMinute: 1, perDay: 100 });
  const [right, fast] = replicas.servers;
  if (right === undefined || fast === undefined) throw new Error('Replicas are missing.');
  const startedAt = Date.now();
  let reply = await replicas.ask(fast, token);
  while (reply.code !== 'key_temporarily_banned') reply = await replicas.ask(fast, token);

  const endedAt = Date.now();

  const everywhere = await askEach(token);
  expect(everywhere.map(({ name, code, reset }) => ({ name, code, reset }))).toEqual(
    names.map((name) => ({ name, code: 'key_temporarily_banned', reset: reply.reset })),
  );
  // By the right clock, rounded up to a second.
  expect(reply.reset).toBeGreaterThanOrEqual(Math.ceil((startedAt + 60_000) / 1_000));
  expect(reply.reset).toBeLessThanOrEqual(Math.ceil((endedAt + 60_000) / 1_000));
});

// Last, because it takes Redis away: without it a replica has only its own clock to tell.
test('without Redis, each replica reports times by its own wrong clock', async () => {
  const token = await replicas.createToken('free');
  await redis.kill();
  const minutesOff = (await askEach(token)).map(({ status, reset }) => ({
    status,
    minutesOff: Math.round((reset - 60 - Date.now() / 1_000) / 60) + 0,
  }));
  expect(minutesOff).toEqual([0, 5, -5].map((minutesOff) => ({ status: 200, minutesOff })));
});
