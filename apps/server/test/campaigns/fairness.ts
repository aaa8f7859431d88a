import { ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { Agent, get } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import {
  nodeFlags,
  openPostgres,
  openRedis,
  openTcpProxy,
  repository,
  startServer,
} from '@animal-store/testkit';
import { percentile } from './percentile.ts';
import { createKey } from './start-with-stores.ts';

/**
 * The number of callers who back off, and the number of requests per second that each of them
 * sends.
 */
const [quietCallers, quietPerSecond] = [10, 20];

/**
 * The limits for the callers who back off: the largest response times in milliseconds, the smallest
 * share of successful requests, and the largest memory of the server in MB. A container of
 * `deploy/kubernetes` has 512 MiB.
 */
const limits = { p99Ms: 500, slowP99Ms: 2_000, probeMs: 250, goodput: 0.8, residentMb: 512 };

const noisyConnections = 4_500;

interface Load {
  readonly title: string;
  /**
   * The limit per minute of the API key of the caller that does not back off; `undefined` if it has
   * no key.
   */
  readonly perMinute: number | undefined;
  readonly networks: number;
  /** The delay of each message from Postgres, in milliseconds. */
  readonly postgresMs?: number;
  readonly redisMs?: number;
}

const loads: readonly Load[] = [
  { title: 'one key over its limit', perMinute: 1_000, networks: 0 },
  { title: 'one key within an Enterprise limit', perMinute: 10_000_000, networks: 0 },
  { title: '200 networks without a key', perMinute: undefined, networks: 200 },
  { title: '4,500 networks without a key', perMinute: undefined, networks: 4_500 },
  { title: 'a Postgres that takes 100 ms', perMinute: 10_000_000, networks: 0, postgresMs: 100 },
  { title: 'a Redis that takes 50 ms', perMinute: 10_000_000, networks: 0, redisMs: 50 },
];

/** The measurements of the callers in one second. */
interface Second {
  answered: number;
  refused: number;
  quietMs: number[];
  quietFailures: number;
  probeMs: number[];
  /**
   * The memory of the server in MB, and the longest delay of its event loop in milliseconds, as its
   * metrics report them.
   */
  residentMb: number;
  loopDelayMs: number;
}

/**
 * Sends more requests than the service can handle, and measures the callers who back off, second by
 * second.
 *
 * @throws if one of the limits is exceeded.
 */
export async function run({ minutes }: { minutes: number }): Promise<void> {
  const seconds = Math.max(5, Math.round((minutes * 60) / loads.length) - 10);
  const faults: string[] = [];
  for (const load of loads) faults.push(...(await play(load, seconds)));
  ok(faults.length === 0, `\n${faults.join('\n')}`);
}

async function play(load: Load, seconds: number): Promise<string[]> {
  await using opened = new AsyncDisposableStack();
  const [postgres, redis] = [
    opened.use(await openPostgres({ storage: 'disk' })),
    opened.use(await openRedis()),
  ];
  const database = await postgres.createDatabase();
  const noisy =
    load.perMinute === undefined ? '' : (await createKey(database.url, load.perMinute)).token;
  const quiet: string[] = [];
  for (let i = 0; i < quietCallers; i += 1) quiet.push((await createKey(database.url)).token);
  const databaseUrl = await behindDelay(opened, database.url, load.postgresMs);
  const redisUrl = await behindDelay(opened, redis.url, load.redisMs);
  const program = `${process.execPath} ${nodeFlags.join(' ')} ${repository}apps/server/src/main.ts`;
  const server = opened.use(
    await startServer({
      // The command discards the log, because this process would have to keep the whole log in
      // memory.
      command: ['sh', '-c', `exec ${program} 2> /dev/null`],
      env: {
        ...{ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, TRUST_PROXY: '1' },
        // An empty value means that the variable is not set. The service then has its default
        // timeouts, which are shorter than the timeouts of tests.
        ...{ MAX_WAIT_MS: '', STALL_TIMEOUT_MS: '', REDIS_TIMEOUT_MS: '', BAN_MIN_STRIKES: '0' },
        MAX_CONNECTIONS_PER_NETWORK: '0',
      },
    }),
  );
  const seen: Second[] = [];
  const current = () => seen.at(-1) as Second;
  const begin = () =>
    seen.push({
      ...{ answered: 0, refused: 0, quietMs: [], quietFailures: 0, probeMs: [] },
      ...{ residentMb: Number.NaN, loopDelayMs: Number.NaN },
    });
  begin();

  const agent = new Agent({ keepAlive: true, maxSockets: 400 });
  opened.defer(() => agent.destroy());
  const timers: NodeJS.Timeout[] = [];
  opened.defer(() => timers.forEach(clearInterval));
  quiet.forEach((token, number) => {
    const headers = { Authorization: `Bearer ${token}`, 'X-Forwarded-For': `192.0.2.${number}` };
    timers.push(
      setInterval(async () => {
        const second = current();
        const { status, ms } = await ask(agent, `${server.origin}/v1/pets?limit=20`, headers);
        if (status === 200) second.quietMs.push(ms);
        else second.quietFailures += 1;
      }, 1_000 / quietPerSecond),
    );
  });
  timers.push(
    setInterval(async () => {
      const second = current();
      for (const path of ['/livez', '/readyz']) {
        second.probeMs.push((await ask(agent, server.opsUrl + path, {})).ms);
      }
    }, 250),
  );

  // The number of requests per second that the service can handle, measured with 64 connections of
  // the same caller.
  const capacity = await noise(opened, 64, 5);
  await pause(1_000);
  seen.length = 0;
  begin();
  await noise(opened, noisyConnections, seconds + 3, () => {
    void readProcess(current(), `${server.opsUrl}/metrics`);
    begin();
  });
  // The first seconds are left out, because connections are opened in these seconds. The last
  // second is left out, because it is not complete.
  return judge(load, seen.slice(3, -1), capacity);

  /**
   * Runs the caller that does not back off. After some seconds, the function stops the caller and
   * returns its number of responses per second.
   */
  async function noise(
    stack: AsyncDisposableStack,
    connections: number,
    forSeconds: number,
    onSecond = () => {},
  ): Promise<number> {
    const script = `${import.meta.dirname}/fairness-load.ts`;
    const args = [script, server.origin, `${connections}`, noisy, `${load.networks}`];
    // The load has a lower priority than the measuring process, Postgres and Redis.
    const child = spawn('nice', ['-n', '5', process.execPath, ...args]);
    stack.defer(() => void child.kill());
    const answered: number[] = [];
    for await (const line of createInterface(child.stdout)) {
      const counts = JSON.parse(line) as Pick<Second, 'answered' | 'refused'>;
      Object.assign(current(), counts);
      answered.push(counts.answered);
      onSecond();
      if (answered.length === forSeconds) break;
    }
    child.kill();
    // The first seconds are left out, because connections are opened in these seconds.
    const steady = answered.slice(2);
    return steady.reduce((sum, count) => sum + count, 0) / steady.length;
  }
}

/** Prints the measured seconds of a load, and returns the limits that were exceeded. */
function judge(load: Load, seen: readonly Second[], capacity: number): string[] {
  const whole = (figure: number) => (Number.isNaN(figure) ? '–' : `${Math.round(figure)}`);
  let table = `\n## ${load.title} (64 connections: ${whole(capacity)} a second)\n\n`;
  table +=
    '| s | answered | 503 | quiet p50 | quiet p99 | quiet failures | probe max | RSS MB | loop delay max |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n';
  function row(name: string, second: Second) {
    const { answered, refused, quietMs, quietFailures, probeMs, residentMb, loopDelayMs } = second;
    const quiet = `${whole(percentile(quietMs, 0.5))} | ${whole(percentile(quietMs, 0.99))}`;
    const server = `${whole(Math.max(...probeMs))} | ${whole(residentMb)} | ${whole(loopDelayMs)}`;
    return `| ${name} | ${answered} | ${refused} | ${quiet} | ${quietFailures} | ${server} |\n`;
  }
  seen.forEach((second, i) => {
    table += row(`${i + 1}`, second);
  });
  const all: Second = {
    answered: Math.round(seen.reduce((sum, { answered }) => sum + answered, 0) / seen.length),
    refused: Math.round(seen.reduce((sum, { refused }) => sum + refused, 0) / seen.length),
    quietMs: seen.flatMap(({ quietMs }) => quietMs),
    quietFailures: seen.reduce((sum, { quietFailures }) => sum + quietFailures, 0),
    probeMs: seen.flatMap(({ probeMs }) => probeMs),
    residentMb: greatest(seen.map(({ residentMb }) => residentMb)),
    loopDelayMs: greatest(seen.map(({ loopDelayMs }) => loopDelayMs)),
  };
  process.stdout.write(`${table}${row('all', all)}`);
  const isSlow = load.postgresMs !== undefined || load.redisMs !== undefined;
  const p99 = percentile(all.quietMs, 0.99);
  const most = isSlow ? limits.slowP99Ms : limits.p99Ms;
  const goodput = all.answered / capacity;
  const missed = {
    [`${all.quietFailures} requests of those who behave failed`]: all.quietFailures > 0,
    [`p99 of those who behave is ${whole(p99)} ms, at most ${most} ms`]: !(p99 <= most),
    [`goodput is ${goodput.toFixed(2)} of the unloaded one`]: goodput < limits.goodput,
    [`a probe took ${whole(Math.max(...all.probeMs))} ms`]:
      Math.max(...all.probeMs) > limits.probeMs,
    [`the server took ${whole(all.residentMb)} MB`]: !(all.residentMb <= limits.residentMb),
  };
  return Object.keys(missed)
    .filter((fault) => missed[fault])
    .map((fault) => `${load.title}: ${fault}`);
}

/** Returns the largest of the numbers that are not NaN. */
const greatest = (figures: readonly number[]) =>
  Math.max(...figures.filter((figure) => !Number.isNaN(figure)));

/**
 * Reads two metrics of the server: its memory, and the longest delay of its event loop since the
 * previous call.
 */
async function readProcess(second: Second, metricsUrl: string): Promise<void> {
  // The last request for the metrics may fail, because the server stops when the load ends.
  const metrics = await fetch(metricsUrl)
    .then((response) => response.text())
    .catch(() => '');
  const read = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(metrics)?.[1]);
  if (metrics === '') return;
  second.residentMb = read('process_resident_memory_bytes') / 1e6;
  second.loopDelayMs = read('nodejs_eventloop_lag_max_seconds') * 1_000;
}

/** Returns the URL of a proxy that delays every message of Postgres or Redis. */
async function behindDelay(stack: AsyncDisposableStack, url: string, ms: number | undefined) {
  if (ms === undefined) return url;
  const onMessage = ({ direction }: { direction: string }) =>
    direction === 'response' ? pause(ms) : undefined;
  const proxy = stack.use(await openTcpProxy({ target: url, onMessage }));
  return proxy.url;
}

function ask(agent: Agent, url: string, headers: Readonly<Record<string, string>>) {
  const sentAt = performance.now();
  return new Promise<{ status: number; ms: number }>((resolve) => {
    const answer = (status: number) => resolve({ status, ms: performance.now() - sentAt });
    get(url, { agent, headers }, (res) => {
      res.resume();
      res.on('end', () => answer(res.statusCode ?? 0));
    }).on('error', () => answer(0));
  });
}
