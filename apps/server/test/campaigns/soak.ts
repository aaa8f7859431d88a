import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { adminBasePath, type IssuedKey, type NewKey } from '@animal-store/contract/admin';
import { createToken } from '../../src/keys/token.ts';
import { type SentRequest, send } from '../support/send.ts';
import { collectsGarbage, growthOf, type Memory, memoryOf } from './memory.ts';
import { percentile } from './percentile.ts';
import { startWithStores } from './start-with-stores.ts';

const requestsPerSecond = 150;
const adminToken = 'an-admin-token-for-a-soak';

/** How long after a fault of Postgres answers may still tell of it: a statement waits for 6 s. */
const aftermathMs = 10_000;

/** A request, and the statuses that it deserves while nothing is wrong. */
type TrafficRequest = {
  readonly kind: string;
  readonly sent: SentRequest;
  readonly deserves: readonly number[];
};

/**
 * Keeps a server busy with everything at once, and lets Redis and Postgres fail now and then. Give it half an
 * hour.
 *
 * @throws unless memory is flat after the warm-up, every key in Redis has an expiry, every request is answered
 * as it deserves, and every animal is there whose creation was acknowledged.
 */
export async function run({ minutes }: { minutes: number }): Promise<void> {
  await using loaded = await startWithStores(
    {
      ...collectsGarbage,
      ADMIN_TOKEN: adminToken,
      TRUST_PROXY: '1',
      // So that there are many, and not one long ban.
      BAN_SECONDS: '5',
      BAN_MAX_SECONDS: '10',
    },
    { logFile: '/dev/null' },
  );
  const { server, postgres, redis, token: wide } = loaded;
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const durationMs = minutes * 60_000;
  // Of short runs, a part: there have to be enough of each to compare.
  const sampleEveryMs = Math.min(10_000, durationMs / 36);
  const faultEveryMs = Math.min(60_000, durationMs / 12);
  const faultMs = Math.min(3_000, faultEveryMs / 4);

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
  async function admin(method: 'GET' | 'PATCH' | 'POST', target: string, body?: unknown) {
    const headers = { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' };
    const sent = { method, target, headers, body: JSON.stringify(body) };
    const { status, text } = await send(server.opsUrl + adminBasePath, sent, agent);
    if (status >= 300) throw new Error(`${method} ${target} was answered ${status}.`);
    return JSON.parse(text);
  }
  const createKey = (key: NewKey): Promise<IssuedKey> => admin('POST', '/keys', key);

  async function ask({ kind, sent, deserves }: TrafficRequest): Promise<void> {
    try {
      const { status, text } = await send(server.baseUrl, sent, agent);
      count(answered, `${kind} ${status}`);
      if (status === 201) {
        const { id } = JSON.parse(text) as { id: number };
        acknowledged.add(id);
        newestPet = id;
      }
      if (deserves.includes(status) || (status === 503 && isPostgresExcused())) return;
      count(undeserved, `${kind} ${status}`);
    } catch (error) {
      count(undeserved, `${kind}: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** Sends a request, and is gone before the answer. */
  async function abandon(): Promise<void> {
    const own = new Agent();
    const sent = one([get(wide, '/pets?limit=100'), create(wide, newPet())]);
    const asked = send(server.baseUrl, sent, own).catch(() => undefined);
    await pause(1);
    own.destroy();
    await asked;
    count(answered, 'abandoned');
  }

  async function keepAsking(free: readonly string[]): Promise<void> {
    const underWay = new Set<Promise<void>>();
    const startedAt = performance.now();
    let sent = 0;
    while (goesOn()) {
      const due = ((performance.now() - startedAt) * requestsPerSecond) / 1_000;
      for (; sent < due; sent += 1) {
        const next =
          randomInt(50) === 0 ? abandon() : ask(mixedRequest(wide, one(free), newestPet));
        const asked = next.finally(() => underWay.delete(asked));
        underWay.add(asked);
      }
      await pause(20);
    }
    await Promise.all(underWay);
  }

  /** The life of a key, again and again, each with a new one. */
  async function keepManagingKeys(): Promise<void> {
    const list = (token: string, status: number) =>
      ask({ kind: 'managed key', sent: get(token, '/pets'), deserves: [status] });
    while (goesOn()) {
      try {
        const { key, token } = await createKey({
          name: 'soak',
          plan: one(['free', 'pro', 'business']),
        });
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

  async function hang(it: { pause(): void; resume(): void }): Promise<void> {
    it.pause();
    await pause(faultMs);
    it.resume();
  }

  async function restart(it: { kill(): Promise<unknown> }, start: () => Promise<unknown>) {
    await it.kill();
    await pause(faultMs);
    await start();
  }

  async function withPostgres(fail: () => Promise<void>): Promise<void> {
    postgresFaultUntil = Number.POSITIVE_INFINITY;
    await fail();
    postgresFaultUntil = performance.now();
  }

  async function keepFailing(): Promise<void> {
    const failures: readonly [name: string, fail: () => Promise<void>][] = [
      ['Redis hangs', () => hang(redis)],
      ['Redis restarts, empty', () => restart(redis, () => redis.restart())],
      ['Postgres restarts', () => withPostgres(() => restart(postgres, () => postgres.start()))],
      ['Redis hangs', () => hang(redis)],
      ['Postgres hangs', () => withPostgres(() => hang(postgres))],
    ];
    for (;;) {
      for (const [name, fail] of failures) {
        await pause(faultEveryMs);
        // The last ones leave time to recover, and to fill Redis again.
        if (performance.now() > endsAt - faultEveryMs) return;
        faults.push(name);
        await fail();
      }
    }
  }

  async function keepWatching(): Promise<void> {
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
      const held = `heap ${mb(memory.heap)} · external ${mb(memory.external)} · RSS ${mb(memory.rss)}`;
      say(
        `${held} · ${all} keys in Redis · ${requests} answers · ${faults.at(-1) ?? 'no fault yet'}`,
      );
    }
  }

  async function listAll(): Promise<Set<number>> {
    const found = new Set<number>();
    let target: string | undefined = '/pets?limit=100';
    while (target !== undefined) {
      const { text, headers } = await send(server.baseUrl, get(wide, target), agent);
      for (const { id } of JSON.parse(text) as { id: number }[]) found.add(id);
      target = /\/v1(\/pets[^>]*)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1];
    }
    return found;
  }

  // Soon denied, and banned now and then.
  const free = await Promise.all(
    Array.from({ length: 5 }, async () => (await createKey({ name: 'soak', plan: 'free' })).token),
  );
  await Promise.all([keepAsking(free), keepManagingKeys(), keepFailing(), keepWatching()]);

  const there = await listAll();
  agent.destroy();
  const lost = [...acknowledged].filter((id) => !there.has(id));
  const heap = growthOf(samples.map((sample) => sample.heap + sample.external));
  const rss = growthOf(samples.map((sample) => sample.rss));
  const keysInRedis = percentile(
    samples.map(({ keys }) => keys),
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
  if (verdicts.some(([, holds]) => !holds)) throw new Error('The soak found a fault.');
}

const say = (line: string) => process.stdout.write(`${line}\n`);

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

/** A request of one of many kinds, as so many different callers would send them. */
function mixedRequest(wide: string, free: string, newestPet: number): TrafficRequest {
  const once = { 'Idempotency-Key': randomUUID() };
  const huge = `"${'x'.repeat(20_000)}"`;
  const guess = randomBytes(9).toString('hex');
  const kinds: readonly [share: number, kind: string, sent: SentRequest, deserves: number[]][] = [
    [40, 'list', get(wide, one(lists)), [200]],
    [15, 'fetch', get(wide, `/pets/${randomInt(newestPet + 10)}`), [200, 404]],
    [8, 'create', create(wide, newPet()), [201]],
    [7, 'create once', create(wide, newPet(), once), [201]],
    [6, 'bad body', create(wide, one(badBodies)), [400]],
    [1, 'huge body', create(wide, huge), [413]],
    [2, 'bad query', get(wide, '/pets?limit=0'), [400]],
    // The same address may come too often.
    [6, 'unknown key', get(createToken(), '/pets'), [401, 429]],
    [3, 'no token', get(guess, '/pets'), [401, 429]],
    [3, 'one address too often', get('guess', '/pets', '198.51.100.7'), [401, 429]],
    [5, 'free', get(free, '/pets'), [200, 429]],
    [1, 'orders', get(wide, '/store/orders'), [501]],
    [1, 'no such path', get(wide, '/nowhere'), [404]],
  ];
  let rest = randomInt(kinds.reduce((sum, [share]) => sum + share, 0));
  for (const [share, kind, sent, deserves] of kinds) {
    rest -= share;
    if (rest < 0) return { kind, sent, deserves };
  }
  throw new Error('The shares do not add up.');
}

const lists = [
  ...['/pets', '/pets?limit=1', '/pets?limit=100'],
  ...['/pets?status=available', '/pets?status=sold&limit=50'],
];
const badBodies = ['', '{', '{}', '[]', '{"name":"","categoryId":1}', '{"name":"x"}'];

function newPet(): string {
  const status = one(['available', 'pending', 'sold']);
  return JSON.stringify({ name: `Animal ${randomUUID()}`, categoryId: randomInt(1_000), status });
}

function get(token: string, target: string, address = someAddress()): SentRequest {
  const headers = { Authorization: `Bearer ${token}`, 'X-Forwarded-For': address };
  return { method: 'GET', target, headers };
}

function create(token: string, body: string, more: Readonly<Record<string, string>> = {}) {
  const headers = { ...get(token, '').headers, 'Content-Type': 'application/json', ...more };
  return { method: 'POST', target: '/pets', headers, body };
}

/** One of many millions, of either kind. */
function someAddress(): string {
  const byte = () => randomInt(256);
  const group = () => randomInt(65_536).toString(16);
  return randomInt(2) === 0
    ? `10.${byte()}.${byte()}.${byte()}`
    : `2001:db8:${group()}:${group()}::1`;
}

function one<const T>(list: readonly T[]): T {
  return list[randomInt(list.length)] as T;
}
