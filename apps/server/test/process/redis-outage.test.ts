import type { KeyDetails } from '@animal-store/contract/admin';
import {
  openRedis,
  openTcpProxy,
  type Redis,
  type Server,
  type TcpProxy,
  until,
} from '@animal-store/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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

/** How long a decision of Redis may take: much longer than on a busy machine, and less than a test waits. */
const redisTimeoutMs = 2_500;

/** Callers of each replica, with a key whose quota nobody reaches. */
const callers = 4;
/** Callers of each replica, with a Free key. */
const freeCallers = 2;
/** How long each waits between an answer and its next request. */
const pauseMs = 200;

const stack = new AsyncDisposableStack();
let redis: Redis;
let proxy: TcpProxy;
let replicas: Replicas<Server>;
/** One a replica, on a quota that nobody reaches, and one on a Free key. */
let loads: readonly { wide: Load<Reply>; free: Load<Reply> }[];

/** What the replicas did before Redis was there for the first time. */
let atStart: { said: string[][]; admittedAlone: number };

const startedAt = Date.now();

beforeAll(async () => {
  redis = stack.use(await openRedis());
  proxy = stack.use(await openTcpProxy({ target: { host: '127.0.0.1', port: redis.port } }));
  const env = {
    REDIS_URL: proxy.via(redis.url),
    REDIS_TIMEOUT_MS: String(redisTimeoutMs),
    REPLICAS: '2',
    ADMIN_TOKEN: adminToken,
  };
  // They start without Redis: see the test of such a start.
  await redis.kill();
  replicas = stack.use(await startReplicaProcesses({ env: [env, env] }));
  await until(isAway);
  const alone = await replicas.createToken({ perMinute: 5, perDay: 1_000 });
  const [first] = replicas.servers as [Server, Server];
  atStart = {
    said: saidOfRedis(),
    admittedAlone: await countAdmitted({ token: alone, times: 10, servers: [first] }),
  };
  await redis.restart();
  await until(isBack);

  const wide = await replicas.createToken(wideQuota);
  const free = await replicas.createToken('free');
  loads = replicas.servers.map((server) => {
    const load = {
      wide: startLoad({ callers, pauseMs, ask: () => replicas.ask(server, wide) }),
      free: startLoad({ callers: freeCallers, pauseMs, ask: () => replicas.ask(server, free) }),
    };
    stack.defer(async () => {
      await Promise.all([load.wide.stop(), load.free.stop()]);
    });
    return load;
  });
});
afterAll(() => stack.disposeAsync());

/** Waits until every client has been answered so many times more. */
async function answers(perCaller: number): Promise<void> {
  await Promise.all(
    loads.map(async ({ wide }) => {
      const countAsked = () => wide.answers.length + wide.failures.length;
      const enough = countAsked() + perCaller * callers;
      await until(() => countAsked() >= enough);
    }),
  );
}

/** What each replica has said of Redis so far. */
function saidOfRedis(): string[][] {
  return replicas.servers.map(({ output }) =>
    [...output().matchAll(/"msg":"Redis is (away|back)/g)].map(([, what = '']) => what),
  );
}

/** Whatever else a replica has written since its start is a complaint. */
function complaints(): string[] {
  return replicas.servers.flatMap(({ output }) =>
    output()
      .split('\n')
      .filter((line) => /error|unhandled|warning|exception|\bat .*:\d+:\d+/i.test(line))
      .filter((line) => !line.includes('"msg":"Redis is ')),
  );
}

let before: string[][];

beforeEach(async ({ onTestFailed }) => {
  // Otherwise every test after one that fails during an outage would fail as well.
  onTestFailed(async () => {
    await redis.restart();
    await proxy.resume();
  });
  await until(isBack);
  await answers(2);
  before = saidOfRedis();
});

const isAway = () => saidOfRedis().every((said) => said.at(-1) === 'away');
const isBack = () => saidOfRedis().every((said) => said.at(-1) !== 'away');

/** Expects that all requests so far were served, whatever happened to Redis. */
function expectServed(): void {
  for (const { pid } of replicas.servers) expect(process.kill(pid, 0)).toBe(true);
  for (const { wide, free } of loads) {
    const replies = [...wide.answers, ...free.answers];
    expect([...wide.failures, ...free.failures]).toEqual([]);
    expect(replies.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
    expect(replies.filter((reply) => !hasHeaders(reply))).toEqual([]);
  }
  expect(complaints()).toEqual([]);
}

function hasHeaders({ status, limit, remaining, reset, retryAfter }: Reply): boolean {
  return (
    limit > 0 && remaining >= 0 && reset * 1_000 > startedAt && (status === 200 || retryAfter >= 1)
  );
}

async function countAdmitted(options: Parameters<typeof askAtOnce>[1]): Promise<number> {
  const replies = await askAtOnce(replicas, options);
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
  const metrics = await scrape(server);
  const count = 'animal_store_redis_command_duration_seconds_count{command="evalsha"}';
  const decisions = sample(metrics, count);
  if (decisions === undefined) throw new Error(`There is no series ${count}.`);
  return decisions;
}

interface Fault {
  begin(): unknown;
  end(): unknown;
}

/** Without a connection, without answers, and with errors. */
const faults: Record<string, () => Fault> = {
  'is killed, and comes back empty': () => ({
    begin: () => redis.kill(),
    end: () => redis.restart(),
  }),
  hangs: () => ({
    begin: () => redis.pause(),
    end: () => redis.resume(),
  }),
  'is out of memory': () => ({
    begin: () => redis.command('config', 'set', 'maxmemory', '1'),
    end: () => redis.command('config', 'set', 'maxmemory', '0'),
  }),
};

describe.each(Object.entries(faults))('when Redis %s', (_name, faultOf) => {
  test('every request is served, the outage is logged once, and the limit is exact again after it', async () => {
    const fault = faultOf();
    await fault.begin();
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
    await fault.end();
    await until(isBack);
    await expectExact();
    await answers(5);
    expectServed();
    for (const said of saidOfRedis()) {
      expect(said).toEqual(said.map((_, i) => (i % 2 === 0 ? 'away' : 'back')));
    }
  });
});

test('the limit stays exact when somebody sends "script flush", and after a restart of Redis at once', async () => {
  await redis.command('script', 'flush');
  await answers(5);
  await expectExact();
  expect(saidOfRedis()).toEqual(before);
  await redis.restart();
  await answers(5);
  await until(isBack);
  await expectExact();
  expectServed();
});

// What else holds of shares: replicas.test.ts.
test('while Redis is away, usage is reported as that of one replica', async () => {
  const [first, second] = replicas.servers as [Server, Server];
  const quota = { perMinute: 6, perDay: 1_000 };
  const { key, token } = await adminOf(first).create(JSON.stringify({ plan: 'enterprise', quota }));
  const show = async (server: Server) =>
    (await adminOf(server).call(`/keys/${key.id}`)).body as KeyDetails;
  const standing = async (server: Server) => {
    const { scope, windows } = (await show(server)).usage;
    return { scope, left: `${windows.minute.remaining} of ${windows.minute.limit}` };
  };
  await replicas.ask(first, token);
  for (const server of replicas.servers) {
    expect(await standing(server)).toEqual({ scope: 'service', left: '5 of 6' });
  }
  expect(showKey(await show(first))).not.toContain('replica');

  await redis.kill();
  await until(isAway);
  await replicas.ask(first, token);
  expect(await standing(first)).toEqual({ scope: 'replica', left: '2 of 3' });
  expect(await standing(second)).toEqual({ scope: 'replica', left: '3 of 3' });
  expect(showKey(await show(second))).toContain(
    '\n  Usage      of one replica only, against its share: Redis is unavailable\n  Minute     3 of 3 left,',
  );

  await redis.restart();
  await until(isBack);
  // Redis came back empty.
  expect(await standing(second)).toEqual({ scope: 'service', left: '6 of 6' });
  expectServed();
});

test('a replica that starts without Redis admits its share, and uses Redis once it is there', async () => {
  expect(atStart.said).toEqual([['away'], ['away']]);
  // Half of five, rounded up.
  expect(atStart.admittedAlone).toBe(3);
  const { servers } = replicas;
  const token = await replicas.createToken({ perMinute: 5, perDay: 1_000 });
  expect(await countAdmitted({ token, times: 20, servers })).toBe(5);
});
