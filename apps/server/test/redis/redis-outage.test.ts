import type { KeyDetails } from '@animal-store/admin-contract';
import { showKey } from '@animal-store/cli';
import { openRedis, type Redis, until } from '@animal-store/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { adminOf, adminToken } from '../support/admin.ts';
import { type Load, startLoad } from '../support/load.ts';
import type { LocalServer } from '../support/local-server.ts';
import { sample, scrape } from '../support/observed.ts';
import { type Replicas, type Reply, startReplicas } from '../support/replicas.ts';
import { wideQuota } from '../support/test-service.ts';

/**
 * The number of callers. Each of them alternates between an API key with a very large quota and a
 * Free key.
 */
const callers = 6;

const stack = new AsyncDisposableStack();
let redis: Redis;
/**
 * A single replica of the service. Its configuration says that there are two replicas, so it admits
 * half of each limit without Redis. `replicas.test.ts` tests several replicas.
 */
let replicas: Replicas;
let server: LocalServer;
let load: Load<Reply>;

const warnings: string[] = [];
const startedAt = Date.now();

beforeAll(async () => {
  const note = ({ name }: Error) => warnings.push(name);
  process.on('warning', note);
  stack.defer(() => void process.off('warning', note));
  redis = stack.use(await openRedis());
  const quotas = {
    redis: [redis.url],
    // How long a request waits if Redis does not respond, in milliseconds. This is much longer than
    // a quota decision takes.
    timeoutMs: 3_000,
    firstConnectionTimeoutMs: 50,
    probeEveryMs: 20,
  };
  await redis.kill();
  replicas = stack.use(await startReplicas([{ quotas, replicas: 2, ops: { adminToken } }]));
  [server] = replicas.servers as [LocalServer];
  await until(isUnavailable);
  // The service starts without Redis. The option `replicas` tells it that two replicas share each
  // limit, so it admits half of five requests, rounded up. It uses Redis as soon as Redis is up.
  expect(await countAdmitted(5, 10)).toBe(3);
  await redis.restart();
  await until(isAvailable);
  expect(await countAdmitted(5, 10)).toBe(5);
  const tokens = [await replicas.createToken(wideQuota), await replicas.createToken('free')];
  const ask = (round: number) => replicas.ask(server, tokens[round % 2] ?? '');
  load = stack.use(startLoad({ callers, pauseMs: 20, ask }));
});
afterAll(() => stack.disposeAsync());

/** Waits until each caller has received this number of further responses. */
async function answers(perCaller: number): Promise<void> {
  const enough = load.answers.length + perCaller * callers;
  await until(() => load.answers.length >= enough);
}

/**
 * Returns the messages that the replica of the service has logged about Redis so far: "unavailable"
 * or "available".
 */
const redisMessages = () =>
  server.output().match(/(?<="msg":"Redis is )(unavailable|available)/g) ?? [];
const isUnavailable = () => redisMessages().at(-1) === 'unavailable';
const isAvailable = () => !isUnavailable();

beforeEach(async ({ onTestFailed }) => {
  // Redis is restarted after a failed test, because the test may have left Redis stopped.
  onTestFailed(() => redis.restart());
  await until(isAvailable);
  await answers(2);
});

/**
 * Expects that all requests so far were served, whatever happened to Redis, and that the log
 * contains no other problems.
 */
function expectServed(): void {
  const complaints = server
    .output()
    .split('\n')
    .filter((line) => /error|unhandled|warning|exception|\bat .*:\d+:\d+/i.test(line))
    .filter((line) => !line.includes('"msg":"Redis is '));
  expect([complaints, warnings, load.failures]).toEqual([[], [], []]);
  const isServed = ({ status, limit, remaining, reset, retryAfter }: Reply) =>
    (status === 200 || (status === 429 && retryAfter >= 1)) &&
    [limit > 0, remaining >= 0, reset * 1_000 > startedAt].every(Boolean);
  expect(load.answers.filter((reply) => !isServed(reply))).toEqual([]);
}

/** Sends several concurrent requests with a new API key, and returns how many are admitted. */
async function countAdmitted(perMinute: number, times: number): Promise<number> {
  const token = await replicas.createToken({ perMinute, perDay: 1_000 });
  const replies = await replicas.askAtOnce(times, token);
  return replies.filter(({ status }) => status === 200).length;
}

/**
 * Returns the number of Redis scripts that the replica of the service has called so far, including
 * failed calls.
 */
const decisionsByRedis = async () =>
  sample(
    await scrape(server),
    'animal_store_redis_command_duration_seconds_count{command="evalsha"}',
  ) ?? Number.NaN;

/** The faults of Redis that the tests cause: no connection, no responses, and errors. */
const faults: readonly [what: string, begin: () => unknown, end: () => unknown][] = [
  ['is killed and restarts without data', () => redis.kill(), () => redis.restart()],
  ['does not respond', () => redis.pause(), () => redis.resume()],
  [
    'is out of memory',
    () => redis.command('config', 'set', 'maxmemory', '1'),
    () => redis.command('config', 'set', 'maxmemory', '0'),
  ],
];

test.each(faults)(
  'the service serves every request when Redis %s, and enforces exact limits again after the outage',
  async (_, begin, end) => {
    await begin();
    await until(isUnavailable);
    const messagesBefore = redisMessages();
    const waiting = await decisionsByRedis();
    // While each caller waits for six responses, the service checks several times whether Redis is
    // up.
    await answers(6);
    // Requests must not wait for Redis during the outage, except the requests that were already
    // waiting when the outage began.
    expect(await decisionsByRedis()).toBeLessThanOrEqual(waiting + callers);
    // If the circuit breaker closed too early, the next requests would open it again, and the log
    // would contain more messages.
    expect(redisMessages()).toEqual(messagesBefore);
    await end();
    await until(isAvailable);
    expect(await countAdmitted(30, 90)).toBe(30);
    await answers(2);
    expectServed();
    expect(redisMessages()).toEqual(
      redisMessages().map((_, i) => (i % 2 === 0 ? 'unavailable' : 'available')),
    );
  },
);

test('while Redis is down, the admin API of a replica shows only the requests that this replica has counted for an API key', async () => {
  const admin = adminOf(server);
  const quota = { perMinute: 6, perDay: 1_000 };
  const { key, token } = await admin.create(JSON.stringify({ plan: 'enterprise', quota }));
  const show = () => admin.read<KeyDetails>(`/keys/${key.id}`);
  const quotaState = async () => {
    const { scope, windows } = (await show()).usage;
    return `${scope}: ${windows.minute.remaining} of ${windows.minute.limit}`;
  };
  await replicas.ask(server, token);
  expect(await quotaState()).toBe('service: 5 of 6');
  await redis.kill();
  await until(isUnavailable);
  await replicas.ask(server, token);
  expect(await quotaState()).toBe('replica: 2 of 3');
  expect(showKey(await show())).toContain(
    '\n  Usage      counted by one replica alone, against an equal share of each limit, because Redis is unavailable\n  Minute     2 of 3 left,',
  );
  await redis.restart();
  await until(isAvailable);
  // Redis has lost its data, so the API key has its full quota again.
  expect(await quotaState()).toBe('service: 6 of 6');
  expectServed();
});
