import type { KeyDetails } from '@animal-store/contract/admin';
import { openRedis, type Redis, type Server, until } from '@animal-store/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { showKey } from '../../src/cli/show-keys.ts';
import { adminOf, adminToken } from '../support/admin.ts';
import { type Load, startLoad } from '../support/load.ts';
import { sample, scrape } from '../support/observed.ts';
import {
  askAtOnce,
  type Replicas,
  type Reply,
  startReplicaProcesses,
} from '../support/replicas.ts';
import { wideQuota } from '../support/test-service.ts';

/** How long a decision of Redis may take: much longer than it does, and less than a test waits. */
const redisTimeoutMs = 2_500;

/** Callers of each replica, with a key whose quota nobody reaches, and with a Free key. */
const [callers, freeCallers] = [4, 2];

const stack = new AsyncDisposableStack();
let redis: Redis;
let replicas: Replicas<Server>;
/** Of each replica, on a quota that nobody reaches. */
const wide: Load<Reply>[] = [];
const free: Load<Reply>[] = [];

/** What the replicas did before Redis was there for the first time. */
let atStart: { said: string[][]; admittedAlone: number };

const startedAt = Date.now();

beforeAll(async () => {
  redis = stack.use(await openRedis());
  const env = {
    REDIS_URL: redis.url,
    REDIS_TIMEOUT_MS: String(redisTimeoutMs),
    REPLICAS: '2',
    ADMIN_TOKEN: adminToken,
  };
  // They start without Redis: see the test of such a start.
  await redis.kill();
  replicas = stack.use(await startReplicaProcesses({ env: [env, env] }));
  await until(isAway);
  const said = saidOfRedis();
  const servers = replicas.servers.slice(0, 1);
  atStart = { said, admittedAlone: await countAdmitted(10, servers) };
  await redis.restart();
  await until(isBack);

  const [wideToken, freeToken] = [
    await replicas.createToken(wideQuota),
    await replicas.createToken('free'),
  ];
  for (const server of replicas.servers) {
    const start = (count: number, token: string) =>
      startLoad({ callers: count, pauseMs: 200, ask: () => replicas.ask(server, token) });
    wide.push(stack.use(start(callers, wideToken)));
    free.push(stack.use(start(freeCallers, freeToken)));
  }
});
afterAll(() => stack.disposeAsync());

/** Waits until every client has been answered so many times more. */
async function answers(perCaller: number): Promise<void> {
  const countAsked = () => wide.map((load) => load.answers.length + load.failures.length);
  const enough = countAsked().map((count) => count + perCaller * callers);
  await until(() => countAsked().every((count, i) => count >= (enough[i] ?? 0)));
}

/** What each replica has said of Redis so far. */
function saidOfRedis(): string[][] {
  return replicas.servers.map(({ output }) =>
    [...output().matchAll(/"msg":"Redis is (away|back)/g)].map(([, what = '']) => what),
  );
}

beforeEach(async ({ onTestFailed }) => {
  // Otherwise every test after one that fails during an outage would fail as well.
  onTestFailed(() => redis.restart());
  await until(isBack);
  await answers(2);
});

const isAway = () => saidOfRedis().every((said) => said.at(-1) === 'away');
const isBack = () => saidOfRedis().every((said) => said.at(-1) !== 'away');

/** Expects that all requests so far were served, whatever happened to Redis, and that nothing else was logged. */
function expectServed(): void {
  for (const { pid, output } of replicas.servers) {
    expect(process.kill(pid, 0)).toBe(true);
    const complaints = output()
      .split('\n')
      .filter((line) => /error|unhandled|warning|exception|\bat .*:\d+:\d+/i.test(line))
      .filter((line) => !line.includes('"msg":"Redis is '));
    expect(complaints).toEqual([]);
  }
  const loads = [...wide, ...free];
  expect(loads.flatMap(({ failures }) => failures)).toEqual([]);
  const isServed = ({ status, limit, remaining, reset, retryAfter }: Reply) =>
    (status === 200 || (status === 429 && retryAfter >= 1)) &&
    [limit > 0, remaining >= 0, reset * 1_000 > startedAt].every(Boolean);
  expect(loads.flatMap((load) => load.answers).filter((reply) => !isServed(reply))).toEqual([]);
}

/** How many requests at once of a new key with five a minute are admitted. */
async function countAdmitted(times: number, servers = replicas.servers): Promise<number> {
  const token = await replicas.createToken({ perMinute: 5, perDay: 1_000 });
  const replies = await askAtOnce(replicas, { token, times, servers });
  return replies.filter(({ status }) => status === 200).length;
}

/** The replicas decide as one: on a key that is new to them, exactly the limit is admitted. */
async function expectExact(): Promise<void> {
  const token = await replicas.createToken({ perMinute: 30, perDay: 1_000 });
  const replies = await askAtOnce(replicas, { token, times: 90, servers: replicas.servers });
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(30);
  expect(new Set(replies.map(({ reset }) => reset)).size).toBe(1);
}

/** How many calls of its scripts a replica has ended, successful or not. */
async function decisionsByRedis(server: Server): Promise<number> {
  const count = 'animal_store_redis_command_duration_seconds_count{command="evalsha"}';
  const decisions = sample(await scrape(server), count);
  if (decisions === undefined) throw new Error(`There is no series ${count}.`);
  return decisions;
}

/** Without a connection, without answers, and with errors. */
const faults: readonly [what: string, begin: () => unknown, end: () => unknown][] = [
  ['is killed, and comes back empty', () => redis.kill(), () => redis.restart()],
  ['hangs', () => redis.pause(), () => redis.resume()],
  [
    'is out of memory',
    () => redis.command('config', 'set', 'maxmemory', '1'),
    () => redis.command('config', 'set', 'maxmemory', '0'),
  ],
];

test.each(faults)(
  'when Redis %s, every request is served, the outage is logged once, and the limit is exact again after it',
  async (_, begin, end) => {
    await begin();
    await until(isAway);
    const saidAtFirst = saidOfRedis();
    const waiting = await Promise.all(replicas.servers.map(decisionsByRedis));
    // Long enough for several probes.
    await answers(12);
    // No request waits for Redis, except those that were waiting when the fault began.
    for (const [i, server] of replicas.servers.entries()) {
      const more = (await decisionsByRedis(server)) - (waiting[i] ?? 0);
      expect(more).toBeLessThanOrEqual(callers + freeCallers);
    }
    // A breaker that closed too early would open and close at every probe.
    expect(saidOfRedis()).toEqual(saidAtFirst);
    await end();
    await until(isBack);
    await expectExact();
    await answers(5);
    expectServed();
    for (const said of saidOfRedis()) {
      expect(said).toEqual(said.map((_, i) => (i % 2 === 0 ? 'away' : 'back')));
    }
  },
);

// What else holds of shares: replicas.test.ts.
test('while Redis is away, usage is reported as that of one replica', async () => {
  const [first, second] = replicas.servers as [Server, Server];
  const quota = { perMinute: 6, perDay: 1_000 };
  const { key, token } = await adminOf(first).create(JSON.stringify({ plan: 'enterprise', quota }));
  const show = async (server: Server) =>
    (await adminOf(server).call(`/keys/${key.id}`)).body as KeyDetails;
  const standing = async (server: Server) => {
    const { scope, windows } = (await show(server)).usage;
    return `${scope}: ${windows.minute.remaining} of ${windows.minute.limit}`;
  };
  await replicas.ask(first, token);
  for (const server of replicas.servers) expect(await standing(server)).toBe('service: 5 of 6');
  expect(showKey(await show(first))).not.toContain('replica');

  await redis.kill();
  await until(isAway);
  await replicas.ask(first, token);
  expect(await standing(first)).toBe('replica: 2 of 3');
  expect(await standing(second)).toBe('replica: 3 of 3');
  expect(showKey(await show(second))).toContain(
    '\n  Usage      of one replica only, against its share: Redis is unavailable\n  Minute     3 of 3 left,',
  );

  await redis.restart();
  await until(isBack);
  // Redis came back empty.
  expect(await standing(second)).toBe('service: 6 of 6');
  expectServed();
});

test('a replica that starts without Redis admits its share, and uses Redis once it is there', async () => {
  // Half of five, rounded up.
  expect(atStart).toEqual({ said: [['away'], ['away']], admittedAlone: 3 });
  expect(await countAdmitted(20)).toBe(5);
});
