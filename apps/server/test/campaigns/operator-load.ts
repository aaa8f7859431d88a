import { ok } from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { adminBasePath } from '@animal-store/admin-contract';
import {
  nodeFlags,
  openPostgres,
  repository,
  startServer,
  temporaryDirectory,
} from '@animal-store/testkit';
import { adminOf, adminToken } from '../support/admin.ts';
import { startLoad } from '../support/load.ts';
import { openMovingName } from '../support/moving-name.ts';
import { call } from '../support/test-service.ts';
import { checkOut } from './check-out.ts';
import { fillWithKeys } from './million-keys.ts';

/** The measurements of the callers of the public API in one second. */
interface Second {
  readonly what: string;
  readonly statuses: Map<string, number>;
  slowestMs: number;
}

const phaseSeconds = 12;

/**
 * Measures the requests of callers, second by second, with a million API keys in the database. At
 * the same time, operators type searches that abort each other, and request six lists at the same
 * time. Later, operators request lists after a pause without requests, while the host name of the
 * database sometimes cannot be resolved.
 *
 * @param options.from the revision of the server; by default the current one.
 * @throws if a caller gets an unexpected response.
 */
export async function run({ from }: { from?: string | undefined }): Promise<void> {
  await using opened = new AsyncDisposableStack();
  let root: string = repository;
  if (from !== undefined) {
    root = opened.use(await temporaryDirectory()).path;
    checkOut(from, root);
  }
  const postgres = opened.use(await openPostgres({ storage: 'disk' }));
  const database = opened.use(await postgres.createDatabase());
  const name = await openMovingName(opened, [postgres.port]);
  const url = new URL(database.url);
  url.host = name.host;
  const server = opened.use(
    await startServer({
      command: [process.execPath, ...nodeFlags, join(root, 'apps/server/src/main.ts')],
      env: {
        ...{ ...name.env, DATABASE_URL: url.href, ADMIN_TOKEN: adminToken },
        // An empty value means that the variable is not set, so the service has its default
        // timeouts.
        ...{ MAX_WAIT_MS: '', HEADERS_TIMEOUT_MS: '', REQUEST_TIMEOUT_MS: '' },
      },
    }),
  );
  print('Writing a million keys');
  await fillWithKeys(database.url);
  const admin = adminOf(server);
  const quota = '"quota":{"perMinute":10000000,"perDay":100000000}';
  const { token } = await admin.create(`{"plan":"enterprise",${quota}}`);
  const unused: string[] = [];
  for (let i = 0; i < 300; i += 1)
    unused.push((await admin.create(`{"plan":"enterprise",${quota}}`)).token);

  let faults = 0;
  async function watch(what: string, disturb: () => Promise<unknown>): Promise<void> {
    const seconds: (Second | undefined)[] = [];
    const beganAt = performance.now();
    async function ask(kind: string, path: string, by: string, json?: string): Promise<void> {
      const askedAt = performance.now();
      const { status } = await call(server.baseUrl + path, { token: by, ...(json && { json }) });
      const n = Math.floor((askedAt - beganAt) / 1_000);
      seconds[n] ??= { what, statuses: new Map(), slowestMs: 0 };
      const second = seconds[n];
      const outcome = `${kind} ${status}`;
      second.statuses.set(outcome, (second.statuses.get(outcome) ?? 0) + 1);
      second.slowestMs = Math.max(second.slowestMs, performance.now() - askedAt);
      if (status >= 400) faults += 1;
    }
    const loads = [
      startLoad({ callers: 2, pauseMs: 100, ask: () => ask('list', '/pets', token) }),
      startLoad({
        ...{ callers: 2, pauseMs: 100 },
        ask: () => ask('create', '/pets', token, '{"name":"Rex","categoryId":1}'),
      }),
      startLoad({
        ...{ callers: 1, pauseMs: 200 },
        ask: () => ask('new key', '/pets?limit=1', unused.pop() ?? token),
      }),
      startLoad({
        ...{ callers: 1, pauseMs: 200 },
        async ask() {
          const { status } = await fetch(`${server.opsUrl}/readyz`);
          if (status !== 200) faults += 1;
          const second = seconds.at(-1);
          const outcome = `readyz ${status}`;
          second?.statuses.set(outcome, (second.statuses.get(outcome) ?? 0) + 1);
        },
      }),
    ];
    await disturb();
    for (const load of loads) {
      await load.stop();
      faults += load.failures.length;
    }
    for (const [n, second] of seconds.entries()) {
      // In this second, no request was sent, because all callers were waiting for a response.
      if (second === undefined) continue;
      const { statuses, slowestMs } = second;
      const row = [...statuses].sort().map(([outcome, count]) => `${outcome}: ${count}`);
      print(`${what}, second ${n}: ${row.join(', ')}; slowest ${slowestMs.toFixed(0)} ms`);
    }
  }

  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  /** Sends a request to the admin API, and closes the connection after some milliseconds. */
  function requestAndAbort(path: string, afterMs: number): void {
    const headers = { Authorization: `Bearer ${adminToken}` };
    const asked = get(server.opsUrl + adminBasePath + path, { headers, agent });
    asked.on('response', (answer) => answer.resume()).on('error', () => {});
    setTimeout(() => asked.destroy(), afterMs);
  }
  async function typeSearches(): Promise<void> {
    const letters = 'qxzvjkwy';
    for (let n = 0; n < phaseSeconds * 5; n += 1) {
      requestAndAbort(`/keys?search=${letters.slice(0, 1 + (n % letters.length))}&count=true`, 200);
      await pause(200);
    }
  }
  async function askSixAtOnce(): Promise<void> {
    const paths = ['search=qx', 'search=zzzz', 'nearLimit=true', 'sort=-requests', 'search=%25'];
    for (let n = 0; n < phaseSeconds / 2; n += 1) {
      for (const path of [...paths, 'state=expired']) requestAndAbort(`/keys?${path}`, 2_000);
      await pause(2_000);
    }
  }
  async function failNames(): Promise<void> {
    for (let n = 0; n < phaseSeconds; n += 1) {
      name.leadTo(undefined);
      await pause(700);
      name.leadTo(0);
      await pause(300);
    }
  }
  await watch('nobody else', () => pause(5_000));
  await watch('one operator types', typeSearches);
  await watch('operators ask six lists at once', askSixAtOnce);
  // The pause is longer than the idle timeout of a database connection. If the service has closed
  // its connection in the pause, it must resolve the host name again for the next list.
  await pause(7_000);
  await watch('the name server fails after a pause', failNames);
  agent.destroy();
  ok(faults === 0, `${faults} answers were not what callers asked for.`);
}

const print = (line: string) => process.stdout.write(`${line}\n`);
