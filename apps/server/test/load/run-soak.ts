// Keeps a server busy with everything at once, for half an hour unless told otherwise, and lets
// Redis and Postgres fail now and then:
//
//   node test/load/run-soak.ts [--minutes 30] [--rate 150]
//
// Ends with exit code 1 unless memory was flat after the warm-up, every key in Redis had an expiry,
// every request was answered as it deserved, and every animal is there whose creation was acknowledged.

import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { adminBasePath, type IssuedKey, type NewKey } from '@animal-store/contract/admin';
import { openPostgres, openRedis, startServer, temporaryDirectory } from '@animal-store/testkit';
import { send } from '../support/send.ts';
import { collectsGarbage, growthOf, type Memory, memoryOf } from './memory.ts';
import { listAs, mixedRequest, one, type TrafficRequest } from './mixed-traffic.ts';
import { percentile } from './percentile.ts';

const { values } = parseArgs({
  // pnpm passes on the "--" that may stand before them.
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '150' },
  },
});
const durationMs = Number(values.minutes) * 60_000;
const perSecond = Number(values.rate);

const adminToken = 'an-admin-token-for-a-soak';
const wideQuota = { perMinute: 10_000_000, perDay: 100_000_000 };

/** Of short runs, a part: there have to be enough of each to compare. */
const sampleEveryMs = Math.min(10_000, durationMs / 36);
const faultEveryMs = Math.min(60_000, durationMs / 12);
const faultMs = Math.min(3_000, faultEveryMs / 4);

/** How long after a fault of Postgres answers may still tell of it: a statement waits for 6 s. */
const aftermathMs = 10_000;

await using opened = new AsyncDisposableStack();
const [postgres, redis, directory] = await Promise.all([
  openPostgres({ storage: 'disk' }),
  openRedis(),
  temporaryDirectory(),
]);
for (const it of [postgres, redis, directory]) opened.use(it);
const database = await postgres.createDatabase();
const logFile = join(directory.path, 'log');
const serverDirectory = new URL('../../', import.meta.url).pathname;
const server = opened.use(
  await startServer({
    // A line for each request, and not kept in this process.
    command: [
      'sh',
      '-c',
      'exec "$0" "$1" 2> "$2"',
      `${serverDirectory}node_modules/.bin/node`,
      `${serverDirectory}src/main.ts`,
      logFile,
    ],
    env: {
      ...collectsGarbage,
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      ADMIN_TOKEN: adminToken,
      TRUST_PROXY: '1',
      // So that there are many, and not one long ban.
      BAN_SECONDS: '5',
      BAN_MAX_SECONDS: '10',
    },
  }),
);
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
opened.defer(() => agent.destroy());

const endsAt = performance.now() + durationMs;
const goesOn = () => performance.now() < endsAt;
let postgresFaultUntil = Number.NEGATIVE_INFINITY;
const isPostgresExcused = () => performance.now() < postgresFaultUntil + aftermathMs;

const answered = new Map<string, number>();
const undeserved = new Map<string, number>();
const count = (counts: Map<string, number>, what: string) =>
  counts.set(what, (counts.get(what) ?? 0) + 1);
const acknowledged = new Set<number>();
let newestPet = 1;
const faults: string[] = [];
const samples: (Memory & { keys: number })[] = [];
let withoutExpiry = 0;

/** @throws if the answer is an error. */
async function admin(method: 'GET' | 'PATCH' | 'POST', path: string, body?: unknown) {
  const { status, text } = await send(
    server.opsUrl + adminBasePath,
    {
      method,
      target: path,
      headers: { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    },
    agent,
  );
  if (status >= 300) throw new Error(`${method} ${path} was answered ${status}.`);
  return JSON.parse(text);
}
const createKey = (key: NewKey): Promise<IssuedKey> => admin('POST', '/keys', key);
const createTokens = (times: number, key: NewKey) =>
  Promise.all(Array.from({ length: times }, async () => (await createKey(key)).token));

const keys = {
  wide: await createTokens(20, { plan: 'enterprise', quota: wideQuota }),
  free: await createTokens(5, { plan: 'free' }),
};

async function ask({ kind, sent, deserves, isAbandoned }: TrafficRequest): Promise<void> {
  if (isAbandoned) return await abandon(sent);
  try {
    const { status, text } = await send(server.baseUrl, sent, agent);
    count(answered, `${kind} ${status}`);
    if (status === 201) {
      const { id } = JSON.parse(text) as { id: number };
      acknowledged.add(id);
      newestPet = id;
    }
    if (deserves.includes(status)) return;
    if (status === 503 && isPostgresExcused()) return;
    count(undeserved, `${kind} ${status}`);
  } catch (error) {
    count(undeserved, `${kind}: ${error instanceof Error ? error.message : error}`);
  }
}

/** Sends a request, and is gone before the answer. */
async function abandon(sent: TrafficRequest['sent']): Promise<void> {
  const own = new Agent();
  const asked = send(server.baseUrl, sent, own).catch(() => undefined);
  await pause(1);
  own.destroy();
  await asked;
  count(answered, 'abandoned');
}

async function keepAsking(): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const startedAt = performance.now();
  let sent = 0;
  while (goesOn()) {
    const due = ((performance.now() - startedAt) * perSecond) / 1_000;
    for (; sent < due; sent += 1) {
      const asked = ask(mixedRequest(keys, newestPet)).finally(() => underWay.delete(asked));
      underWay.add(asked);
    }
    await pause(20);
  }
  await Promise.all(underWay);
}

/** The life of a key, again and again, each with a new one. */
async function keepManagingKeys(): Promise<void> {
  const list = (token: string, status: number) =>
    ask({ kind: 'managed key', sent: listAs(token), deserves: [status] });
  while (goesOn()) {
    try {
      const { key, token } = await createKey({ plan: one(['free', 'pro', 'business']) });
      await list(token, 200);
      const { token: next }: IssuedKey = await admin('POST', `/keys/${key.id}/rotate`, {
        graceSeconds: 60,
      });
      await Promise.all([list(token, 200), list(next, 200)]);
      await admin('PATCH', `/keys/${key.id}`, { plan: 'business' });
      await admin('GET', `/keys/${key.id}`);
      await admin('POST', `/keys/${key.id}/unban`);
      await admin('POST', `/keys/${key.id}/revoke`);
      await Promise.all([list(token, 401), list(next, 401)]);
      count(answered, 'life of a key');
    } catch (error) {
      if (!isPostgresExcused()) count(undeserved, String(error));
    }
    await pause(500);
  }
}

async function keepFailing(): Promise<void> {
  const failures: readonly [name: string, fail: () => Promise<void>][] = [
    ['Redis hangs', () => hang(redis)],
    [
      'Redis restarts, empty',
      async () => {
        await redis.kill();
        await pause(faultMs);
        await redis.restart();
      },
    ],
    ['Postgres restarts', () => withPostgres(restartPostgres)],
    ['Redis hangs', () => hang(redis)],
    ['Postgres hangs', () => withPostgres(() => hang(postgres))],
  ];
  for (let i = 0; ; i += 1) {
    await pause(faultEveryMs);
    // The last ones leave time to recover, and to fill Redis again.
    if (performance.now() > endsAt - faultEveryMs) return;
    const [name, fail] = failures[i % failures.length] ?? [];
    if (name === undefined || fail === undefined) return;
    faults.push(name);
    await fail();
  }
}

async function hang(it: { pause(): void; resume(): void }): Promise<void> {
  it.pause();
  await pause(faultMs);
  it.resume();
}

async function restartPostgres(): Promise<void> {
  await postgres.kill();
  await pause(faultMs);
  await postgres.start();
}

async function withPostgres(fail: () => Promise<void>): Promise<void> {
  postgresFaultUntil = Number.POSITIVE_INFINITY;
  await fail();
  postgresFaultUntil = performance.now();
}

/** Counts keys, and those that would stay for ever. */
const countKeys = `
  local cursor, all, forever = '0', 0, 0
  repeat
    local found = redis.call('scan', cursor, 'count', 1000)
    cursor = found[1]
    for _, key in ipairs(found[2]) do
      all = all + 1
      if redis.call('pttl', key) == -1 then forever = forever + 1 end
    end
  until cursor == '0'
  return all .. ' ' .. forever`;

async function keepWatching(): Promise<void> {
  const startedAt = performance.now();
  const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  while (goesOn()) {
    await pause(sampleEveryMs);
    const memory = await memoryOf(server);
    // Redis may be away.
    const counted = await redis.command('eval', countKeys, '0').catch(() => '0 0');
    const [all = 0, forever = 0] = counted.split(' ').map(Number);
    withoutExpiry += forever;
    samples.push({ ...memory, keys: all });
    const requests = [...answered.values()].reduce((sum, n) => sum + n, 0);
    say(
      `${((performance.now() - startedAt) / 60_000).toFixed(1)} min`,
      `heap ${mb(memory.heap)}`,
      `external ${mb(memory.external)}`,
      `RSS ${mb(memory.rss)}`,
      `${all} keys in Redis`,
      `${requests} answers`,
      faults.at(-1) ?? 'no fault yet',
    );
  }
}

const say = (...words: readonly string[]) => process.stdout.write(`${words.join(' · ')}\n`);

async function listAll(): Promise<Set<number>> {
  const found = new Set<number>();
  let target: string | undefined = '/pets?limit=100';
  while (target !== undefined) {
    const { text, headers } = await send(
      server.baseUrl,
      { ...listAs(one(keys.wide)), target },
      agent,
    );
    for (const { id } of JSON.parse(text) as { id: number }[]) found.add(id);
    target = /\/v1(\/pets[^>]*)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1];
  }
  return found;
}

await Promise.all([keepAsking(), keepManagingKeys(), keepFailing(), keepWatching()]);

const there = await listAll();
const lost = [...acknowledged].filter((id) => !there.has(id));
const heap = growthOf(samples.map((sample) => sample.heap + sample.external));
const rss = growthOf(samples.map((sample) => sample.rss));
const keysInRedis = percentile(
  samples.map((sample) => sample.keys),
  0.5,
);
const verdicts: readonly [what: string, holds: boolean][] = [
  [`heap, last third / second third: ${heap.ratio.toFixed(3)}`, heap.isFlat],
  [`RSS, last third / second third: ${rss.ratio.toFixed(3)}`, rss.isFlat],
  [
    `keys in Redis without expiry: ${withoutExpiry}, of ${keysInRedis} (median)`,
    withoutExpiry === 0 && keysInRedis > 0,
  ],
  [
    `answers that were not deserved: ${JSON.stringify(Object.fromEntries(undeserved))}`,
    undeserved.size === 0,
  ],
  [`creations acknowledged ${acknowledged.size}, lost ${lost.length}`, lost.length === 0],
];
say(`faults: ${faults.length}`);
say(JSON.stringify(Object.fromEntries([...answered].toSorted()), null, 1));
for (const [what, holds] of verdicts) say(`${holds ? 'ok' : 'NOT OK'}: ${what}`);
if (verdicts.some(([, holds]) => !holds)) process.exitCode = 1;
