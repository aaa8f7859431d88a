import { deepEqual, ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { IssuedKey } from '@animal-store/contract/admin';
import {
  freePort,
  hangMs,
  nodeFlags,
  openPostgres,
  openRedis,
  type Server,
  startServer,
  until,
} from '@animal-store/testkit';
import postgres from 'postgres';
import { adminOf, adminToken } from '../support/admin.ts';
import { startLoad } from '../support/load.ts';
import { call } from '../support/test-service.ts';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const minuteLimit = 90;

type Replica = { readonly version: 'old' | 'new'; readonly server: Server };

/**
 * Updates three replicas of an older revision under load, while everything is in the way: an idle transaction
 * that has read the keys, 50 keys whose account changes behind a network whose allowance is used up, and lost
 * LISTEN connections.
 *
 * @param options.from the revision of the old replicas.
 * @throws if a valid key got anything but its due, except a 429 of an old replica, or more requests passed than a
 * quota has.
 */
export async function run({ from }: { from: string }): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const old = checkOut(from);
  opened.defer(() => rmSync(old, { recursive: true, force: true }));
  const [store, redis] = await Promise.all([openPostgres({ storage: 'disk' }), openRedis()]);
  opened.use(store);
  opened.use(redis);
  const database = await store.createDatabase();
  const sql = postgres(database.url, { max: 2, onnotice: () => {} });
  opened.defer(() => sql.end());

  const start = async (root: string, opsPort: number): Promise<Replica> => ({
    version: root === repository ? 'new' : 'old',
    server: opened.use(
      await startServer({
        command: [process.execPath, ...nodeFlags, join(root, 'apps/server/src/main.ts')],
        env: {
          // Empty counts as unset: the service's own limits.
          ...{ MAX_WAIT_MS: '', REDIS_TIMEOUT_MS: '', OPS_PORT: `${opsPort}` },
          ...{ ADMIN_TOKEN: adminToken, DATABASE_URL: database.url, REDIS_URL: redis.url },
        },
      }),
    ),
  });
  const serving: Replica[] = [];
  for (let i = 0; i < 3; i += 1) serving.push(await start(old, await freePort()));

  const admin = () => adminOf((serving.at(-1) as Replica).server);
  async function change(method: string, path: string, json: string): Promise<void> {
    const { status, text } = await admin().call(path, { method, json });
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
  }
  const createKey = (perMinute: number) =>
    admin().create(
      JSON.stringify({ plan: 'enterprise', quota: { perMinute, perDay: 10_000_000 } }),
    );
  const wide = await createKey(1_000_000);
  const limited = await createKey(minuteLimit);
  const unused: IssuedKey[] = [];
  for (let i = 0; i < 400; i += 1) unused.push(await createKey(1_000));
  const warm = unused.splice(0, 50);

  const counts: Record<string, number> = {};
  const faults = new Set<string>();
  /** Admitted requests of the limited key, by the end of their window. */
  const admitted = new Map<number, number>();
  let turn = 0;

  async function ask(kind: string, token: string | null, due: readonly number[]) {
    turn += 1;
    const { server, version } = serving[turn % serving.length] as Replica;
    const json = '{"name":"Rex","categoryId":1}';
    let status: number | string;
    try {
      const options = { token, ...(kind === 'create' && { json }) };
      const answer = await call(`${server.baseUrl}/pets`, options);
      status = answer.status;
      const reset = Number(answer.headers.get('X-RateLimit-Reset'));
      if (kind === 'limited' && status === 200) admitted.set(reset, (admitted.get(reset) ?? 0) + 1);
    } catch (error) {
      status = String(error);
    }
    const what = `${kind}: ${status} of an ${version} replica`;
    counts[what] = (counts[what] ?? 0) + 1;
    // What an old replica starves is why it is updated.
    const isExcused = version === 'old' && status === 429;
    if (!due.includes(status as number) && !isExcused) faults.add(what);
  }

  const keepAsking = (everyMs: number, ask: () => Promise<void>) =>
    // Several, so that one which waits for its answer holds up no other.
    opened.use(startLoad({ callers: 5, pauseMs: 5 * everyMs, ask }));
  const load = [
    keepAsking(10, () => ask('list', wide.token, [200])),
    keepAsking(50, () => ask('create', wide.token, [201])),
    keepAsking(20, () => ask('warm', warm[turn % warm.length]?.token ?? null, [200])),
    keepAsking(300, async () => {
      const token = unused.pop()?.token;
      if (token !== undefined) await ask('first use', token, [200]);
    }),
    // Denied so seldom that it is not banned.
    keepAsking(500, () => ask('limited', limited.token, [200, 429])),
    // Uses up the allowance of the network, which all keys share.
    keepAsking(300, () => ask('no key', null, [401, 429])),
  ];

  /** Takes an old replica out of the balancer's list, and stops it. */
  async function retire(): Promise<void> {
    const replica = serving.shift();
    await pause(500);
    const code = await replica?.server.stop();
    say(`an old replica ended (${code})`);
  }

  await pause(10_000);
  const idle = await sql.reserve();
  await idle`begin`;
  await idle`select count(*) from api_keys`;
  say('an idle transaction has read api_keys');
  const opsPort = await freePort();
  const starting = start(repository, opsPort).then((replica) => {
    serving.push(replica);
    say('the first new replica serves');
  });
  const readyz = () => fetch(`http://127.0.0.1:${opsPort}/readyz`).then((health) => health.text());
  const waits = async () => {
    const text = await readyz().catch(() => '');
    return text.includes('The migration waits') && text;
  };
  say(`/readyz of the new one: ${await until(waits, { timeoutMs: hangMs })}`);
  await pause(15_000);
  await idle`rollback`;
  idle.release();
  say('the transaction ended');
  await starting;
  for (const { key } of warm) await change('PATCH', `/keys/${key.id}`, '{"account":"X"}');
  say('50 warm keys have the account X');
  await pause(5_000);
  const quota = { perMinute: 100_000, perDay: 1_000_000 };
  await change('PUT', '/accounts/X', JSON.stringify({ plan: 'enterprise', quota }));
  say('X has a plan');
  await pause(8_000);
  const lost = await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query ilike 'listen%'`;
  say(`${lost.length} LISTEN connections are cut`);
  await pause(8_000);
  await retire();
  for (let i = 0; i < 2; i += 1) {
    serving.push(await start(repository, await freePort()));
    say('another new replica serves');
    await retire();
    await pause(5_000);
  }
  await Promise.all(load.map((one) => one.stop()));

  const windows = [...admitted.values()];
  say(JSON.stringify({ counts, windows }, null, 1));
  deepEqual(faults, new Set());
  ok(Math.max(...windows) <= minuteLimit);
}

/** Installs a revision of this repository in a folder of its own. */
function checkOut(revision: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-update-'));
  const archive = execFileSync('git', ['archive', revision], {
    cwd: repository,
    maxBuffer: 2 ** 28,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  execFileSync('node', ['scripts/install.mjs', 'run'], { cwd: folder, stdio: 'inherit' });
  return folder;
}

const say = (line: string) => process.stdout.write(`${line}\n`);
