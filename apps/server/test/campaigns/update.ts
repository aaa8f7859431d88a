import { deepEqual, ok } from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  nodeFlags,
  openPostgres,
  openRedis,
  repository,
  type Server,
  startServer,
  temporaryDirectory,
} from '@animal-store/testkit';
import { adminOf, adminToken } from '../support/admin.ts';
import { startLoad } from '../support/load.ts';
import { call } from '../support/test-service.ts';
import { checkOut } from './check-out.ts';

const minuteLimit = 90;

type Replica = { readonly version: 'old' | 'new'; readonly server: Server };

/**
 * Replaces three replicas of an older revision by new replicas under load, one after the other.
 *
 * @param options.from the revision of the old replicas.
 * @throws if a valid API key gets an unexpected response, except a 429 of an old replica, or if
 * more requests are admitted than the quota allows.
 */
export async function run({ from = 'be430f2' }: { from?: string | undefined }): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const { path: old } = opened.use(await temporaryDirectory());
  checkOut(from, old);
  const [store, redis] = await Promise.all([openPostgres({ storage: 'disk' }), openRedis()]);
  opened.use(store);
  opened.use(redis);
  const database = await store.createDatabase();

  const start = async (root: string): Promise<Replica> => ({
    version: root === repository ? 'new' : 'old',
    server: opened.use(
      await startServer({
        command: [process.execPath, ...nodeFlags, join(root, 'apps/server/src/main.ts')],
        env: {
          // An empty value means that the variable is not set, so the service has its default
          // timeouts.
          ...{ MAX_WAIT_MS: '', REDIS_TIMEOUT_MS: '', ADMIN_TOKEN: adminToken },
          ...{ DATABASE_URL: database.url, REDIS_URL: redis.url },
        },
      }),
    ),
  });
  const serving: Replica[] = [];
  for (let i = 0; i < 3; i += 1) serving.push(await start(old));

  const admin = adminOf((serving[0] as Replica).server);
  async function createKey(perMinute: number): Promise<string> {
    const quota = { perMinute, perDay: 10_000_000 };
    return (await admin.create(JSON.stringify({ plan: 'enterprise', quota }))).token;
  }
  const wide = await createKey(1_000_000);
  const limited = await createKey(minuteLimit);
  const unused: string[] = [];
  for (let i = 0; i < 200; i += 1) unused.push(await createKey(1_000));

  const counts: Record<string, number> = {};
  const faults = new Set<string>();
  /**
   * The number of admitted requests of the limited API key in each window, by the end of the
   * window.
   */
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
    // Under load, an old replica may refuse valid callers with 429. The new version fixes this
    // fault.
    const isExpected429 = version === 'old' && status === 429;
    if (!due.includes(status as number) && !isExpected429) faults.add(what);
  }

  const keepAsking = (everyMs: number, ask: () => Promise<void>) =>
    // Several callers send requests. If there were only one, a slow response would delay its next
    // request.
    opened.use(startLoad({ callers: 5, pauseMs: 5 * everyMs, ask }));
  const load = [
    keepAsking(10, () => ask('list', wide, [200])),
    keepAsking(50, () => ask('create', wide, [201])),
    keepAsking(300, async () => {
      const token = unused.pop();
      if (token !== undefined) await ask('first use', token, [200]);
    }),
    // This API key is denied so rarely that it is never banned. A ban would refuse its requests for
    // the rest of the campaign.
    keepAsking(500, () => ask('limited', limited, [200, 429])),
    // All callers are in the same network. The requests without an API key use up the quota of this
    // network, so most of them get 429.
    keepAsking(300, () => ask('no key', null, [401, 429])),
  ];

  await pause(10_000);
  for (let i = 0; i < 3; i += 1) {
    // The first new replica migrates the database when it starts.
    serving.push(await start(repository));
    const replica = serving.shift();
    await pause(500);
    print(`an old replica ended (${await replica?.server.stop()})`);
    await pause(15_000);
  }
  await Promise.all(load.map((one) => one.stop()));

  const windows = [...admitted.values()];
  print(JSON.stringify({ counts, windows }, null, 1));
  deepEqual(faults, new Set());
  ok(Math.max(...windows) <= minuteLimit);
}

const print = (line: string) => process.stdout.write(`${line}\n`);
