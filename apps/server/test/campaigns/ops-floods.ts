import { ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { adminBasePath } from '@animal-store/admin-contract';
import { migratePostgres } from '@animal-store/postgres/migrate-postgres';
import {
  nodeFlags,
  openPostgres,
  openRedis,
  repository,
  startServer,
  temporaryDirectory,
} from '@animal-store/testkit';
import { migrationOptions } from '../../src/schema/migration-options.ts';
import { adminToken } from '../support/admin.ts';
import { checkOut } from './check-out.ts';
import { fillWithKeys } from './million-keys.ts';
import { percentile } from './percentile.ts';
import { createKey } from './start-with-stores.ts';

/** The number of callers, and the pause between two requests of a caller, in milliseconds. */
const [callers, everyMs] = [5, 25];

/**
 * The number of connections of a flood. Each connection sends its next request as soon as it has a
 * response.
 */
const connections = 64;

const [warmUpSeconds, measuredSeconds] = [2, 7];

/**
 * The longest time in milliseconds that a health check from another network, and a list of another
 * operator, may take during a flood.
 */
const maxProbeMs = 250;

const keys = 20_000;

/** The paths on the ops listener that the floods request. */
const floods: Readonly<Record<string, string>> = {
  '/livez': '/livez',
  '/readyz': '/readyz',
  '/metrics': '/metrics',
  'admin list': `${adminBasePath}/keys?limit=100`,
  'admin search': `${adminBasePath}/keys?search=acme&count=true`,
};

/** The measurements of one phase of the campaign. */
interface Phase {
  readonly callerMs: number[];
  readonly probeMs: number[];
  readonly faults: string[];
  readonly floodsPerSecond: number;
  /** The share of one CPU core that the server used. */
  readonly cpu: number;
}

/**
 * Measures callers of the public API alone, and during floods of health checks, scrapes and admin
 * requests. A flood also uses CPU time of the machine. So the callers are also measured during a
 * flood of the same size that goes to an unrelated process.
 *
 * @param options.from the revision of the server; by default the current one.
 * @throws if a request fails, or a health check from another network takes too long.
 */
export async function run({ from }: { from?: string | undefined }): Promise<void> {
  await using opened = new AsyncDisposableStack();
  let root: string = repository;
  if (from !== undefined) {
    root = opened.use(await temporaryDirectory()).path;
    checkOut(from, root);
  }
  const [postgres, redis] = await Promise.all([openPostgres({ storage: 'disk' }), openRedis()]);
  opened.use(postgres);
  opened.use(redis);
  const database = opened.use(await postgres.createDatabase());
  await migratePostgres(database.url, migrationOptions);
  await fillWithKeys(database.url, keys);
  const { token } = await createKey(database.url);
  // The command discards the log. Otherwise this test would have to keep the whole log in memory.
  const program = [process.execPath, ...nodeFlags, join(root, 'apps/server/src/main.ts')].join(' ');
  const server = opened.use(
    await startServer({
      command: ['sh', '-c', `exec ${program} 2> /dev/null`],
      env: {
        ...{ DATABASE_URL: database.url, REDIS_URL: redis.url, ADMIN_TOKEN: adminToken },
        // An empty value means that the variable is not set, so the service has its default
        // timeouts.
        ...{ MAX_WAIT_MS: '', STALL_TIMEOUT_MS: '', REDIS_TIMEOUT_MS: '' },
      },
    }),
  );
  const agent = new Agent({ keepAlive: true, localAddress: '127.0.0.2' });
  opened.defer(() => agent.destroy());
  const unrelated = await startUnrelated(opened);

  /** Measures callers during a flood, or alone if no origin is given. */
  async function measure(origin?: string, path = '/'): Promise<Phase> {
    const phase = { callerMs: [] as number[], probeMs: [] as number[], faults: [] as string[] };
    let isMeasured = false;
    async function ask(times: 'callerMs' | 'probeMs', url: string, by?: string) {
      const { status, ms } = await send(agent, url, by);
      if (status !== 200) phase.faults.push(`${url} ${status}`);
      if (isMeasured) phase[times].push(ms);
    }
    const flood = origin === undefined ? undefined : startFlood(origin, path);
    const timers: NodeJS.Timeout[] = [];
    for (let caller = 0; caller < callers; caller += 1) {
      await pause(everyMs / callers);
      const url = `${server.baseUrl}/pets?limit=20`;
      timers.push(setInterval(() => ask('callerMs', url, token), everyMs));
    }
    for (const probe of ['/livez', '/readyz', `${adminBasePath}/operators`]) {
      timers.push(setInterval(() => ask('probeMs', server.opsUrl + probe, adminToken), 200));
    }
    await pause(warmUpSeconds * 1_000);
    const cpuBefore = await readCpuSeconds(server.opsUrl);
    const answeredBefore = flood?.answered() ?? 0;
    const beganAt = performance.now();
    isMeasured = true;
    await pause(measuredSeconds * 1_000);
    isMeasured = false;
    const answered = (flood?.answered() ?? 0) - answeredBefore;
    for (const timer of timers) clearInterval(timer);
    flood?.stop();
    const seconds = (performance.now() - beganAt) / 1_000;
    const cpu = ((await readCpuSeconds(server.opsUrl)) - cpuBefore) / seconds;
    return { ...phase, floodsPerSecond: answered / seconds, cpu };
  }

  // The first phase is not reported, because it only warms up the server.
  await measure(server.opsUrl, floods['admin list']);
  const alone = await measure();
  const beside = await measure(unrelated);
  print('| beside | flood/s | CPU | p50 | p99 | of alone | of unrelated | probe p50 | probe max |');
  print('|---|--:|--:|--:|--:|--:|--:|--:|--:|');
  const faults: string[] = [];
  report('nothing', alone);
  report('an unrelated flood', beside);
  for (const [name, path] of Object.entries(floods)) {
    report(name, await measure(server.opsUrl, path));
  }
  report('nothing', await measure());
  ok(faults.length === 0, `\n${faults.join('\n')}`);

  function report(name: string, phase: Phase): void {
    const { callerMs, probeMs, floodsPerSecond, cpu } = phase;
    const at = (share: number) => percentile(callerMs, share);
    const ratio = (other: Phase) =>
      [0.5, 0.99].map((p) => (at(p) / percentile(other.callerMs, p)).toFixed(2)).join(' / ');
    const slowestProbe = Math.max(...probeMs);
    const row = [
      ...[name, floodsPerSecond.toFixed(0), cpu.toFixed(2), at(0.5).toFixed(2)],
      ...[at(0.99).toFixed(2), ratio(alone), ratio(beside)],
      ...[percentile(probeMs, 0.5).toFixed(1), slowestProbe.toFixed(0)],
    ];
    print(`| ${row.join(' | ')} |`);
    for (const fault of new Set(phase.faults)) faults.push(`${name}: ${fault}`);
    if (slowestProbe > maxProbeMs) {
      faults.push(`${name}: a health check or a list took ${slowestProbe.toFixed(0)} ms`);
    }
  }
}

/**
 * Starts a flood in a separate process. The process has a lower priority than the measuring
 * process, Postgres and Redis.
 */
function startFlood(origin: string, path: string) {
  const script = `${import.meta.dirname}/fairness-load.ts`;
  const args = [script, origin, `${connections}`, adminToken, '0', path];
  const child = spawn('nice', ['-n', '5', process.execPath, ...args]);
  let answered = 0;
  createInterface(child.stdout).on('line', (line) => {
    answered += (JSON.parse(line) as { answered: number }).answered;
  });
  return { answered: () => answered, stop: () => child.kill() };
}

/** Starts a process with a minimal HTTP server, and returns its origin. */
async function startUnrelated(stack: AsyncDisposableStack): Promise<string> {
  const program = `const server = require('node:http').createServer((_req, res) => res.end('{}'));
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ['-e', program]);
  stack.defer(() => void child.kill());
  for await (const port of createInterface(child.stdout)) return `http://127.0.0.1:${port}`;
  throw new Error('The unrelated server has not started.');
}

async function readCpuSeconds(opsUrl: string): Promise<number> {
  const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (.+)$/m.exec(metrics)?.[1]);
}

function send(agent: Agent, url: string, token = '') {
  const sentAt = performance.now();
  const headers = { Authorization: `Bearer ${token}` };
  return new Promise<{ status: number; ms: number }>((resolve) => {
    const end = (status: number) => resolve({ status, ms: performance.now() - sentAt });
    request(url, { agent, headers }, (res) => {
      res.resume().on('end', () => end(res.statusCode ?? 0));
    })
      .on('error', () => end(0))
      .end();
  });
}

const print = (line: string) => process.stdout.write(`${line}\n`);
