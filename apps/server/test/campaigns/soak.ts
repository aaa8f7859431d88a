import { deepEqual, ok } from 'node:assert/strict';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { IssuedKey } from '@animal-store/admin-contract';
import { nodeFlags, repository } from '@animal-store/testkit';
import { createToken } from '../../src/keys/token.ts';
import { adminOf, adminToken } from '../support/admin.ts';
import { listAll } from '../support/list-all-pets.ts';
import { startLoad } from '../support/load.ts';
import { randomOf } from '../support/replicas.ts';
import { type SentRequest, send } from '../support/send.ts';
import type { CallOptions } from '../support/test-service.ts';
import { collectsGarbage, growthOf, type Memory, memoryOf } from './memory.ts';
import { percentile } from './percentile.ts';
import { startWithStores } from './start-with-stores.ts';

/**
 * The number of callers and the pause between their requests in milliseconds. Together they send
 * about 150 requests a second if responses are fast.
 */
const [callers, pauseMs] = [30, 200];

const program = `${process.execPath} ${nodeFlags.join(' ')} ${repository}apps/server/src/main.ts`;
/**
 * The command that starts the server and discards its log. Without the redirection, this process
 * would keep the whole log in memory, and the log of a long run is too large.
 */
const command = ['sh', '-c', `exec ${program} 2> /dev/null`] as const;

/**
 * How long after a fault of a store a request may still fail because of this fault, in milliseconds.
 * It is longer than the 6 s that an SQL statement may wait.
 */
const recoveryMs = 10_000;

/** A request, with the statuses that are correct while there is no fault. */
type TrafficRequest = {
  readonly kind: string;
  readonly sent: SentRequest;
  readonly expectedStatuses: readonly number[];
};

/**
 * Sends all kinds of requests to a server at the same time, and makes Redis and Postgres fail from
 * time to time. Run the campaign for half an hour.
 *
 * @throws if memory grows after the warm-up or a Redis key has no expiry. It also throws if a
 * request gets an unexpected status or an acknowledged animal does not exist.
 */
export async function run({ minutes }: { minutes: number }): Promise<void> {
  const env = {
    ...collectsGarbage,
    ADMIN_TOKEN: adminToken,
    TRUST_PROXY: '1',
    // Bans are short, so that there are many bans instead of one long ban.
    BAN_SECONDS: '5',
    BAN_MAX_SECONDS: '10',
  };
  await using loaded = await startWithStores(env, { command });
  const { server, postgres, redis, token: wide } = loaded;
  const admin = adminOf(server);
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const durationMs = minutes * 60_000;
  // Short runs have shorter intervals, so that they still contain several samples and faults.
  const sampleEveryMs = Math.min(10_000, durationMs / 36);
  const faultEveryMs = Math.min(60_000, durationMs / 12);
  const faultMs = Math.min(3_000, faultEveryMs / 4);

  const endsAt = performance.now() + durationMs;
  const goesOn = () => performance.now() < endsAt;
  const faultsUntil = { Postgres: Number.NEGATIVE_INFINITY, Redis: Number.NEGATIVE_INFINITY };
  const isFaultExpected = (store: keyof typeof faultsUntil) =>
    performance.now() < faultsUntil[store] + recoveryMs;

  const answered: Record<string, number> = {};
  const unexpected: Record<string, number> = {};
  const count = (counts: Record<string, number>, what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const acknowledged = new Set<number>();
  let newestPet = 1;
  const samples: Memory[] = [];
  const keysInRedis: number[] = [];
  let withoutExpiry = 0;

  async function ask({ kind, sent, expectedStatuses }: TrafficRequest): Promise<void> {
    try {
      const { status, text } = await send(server.baseUrl, sent, agent);
      count(answered, `${kind} ${status}`);
      if (status === 201) {
        newestPet = (JSON.parse(text) as { id: number }).id;
        acknowledged.add(newestPet);
      }
      if (expectedStatuses.includes(status) || (status === 503 && isFaultExpected('Postgres')))
        return;
      count(unexpected, `${kind} ${status}`);
    } catch (error) {
      count(unexpected, `${kind}: ${error}`);
    }
  }

  /** Creates, uses, changes and revokes API keys, one after the other. */
  async function keepManagingKeys(): Promise<void> {
    const list = (token: string, status: number) =>
      ask({ kind: 'managed key', sent: get(token, '/pets'), expectedStatuses: [status] });
    while (goesOn()) {
      try {
        const plan = randomOf(['free', 'pro', 'business']);
        const { key, token } = await admin.create(JSON.stringify({ plan }));
        const change = async (action: string, options: CallOptions = { method: 'POST' }) => {
          const { status, body } = await admin.call(`/keys/${key.id}${action}`, options);
          // An unban without Redis gets 503 and changes nothing.
          const isRefused = action === '/unban' && status === 503 && isFaultExpected('Redis');
          if (status >= 300 && !isRefused)
            throw new Error(`${options.method} ${action}: ${status}`);
          return body;
        };
        await list(token, 200);
        const rotated = await change('/rotate', { json: '{"graceSeconds":60}' });
        const { token: next } = rotated as IssuedKey;
        await Promise.all([list(token, 200), list(next, 200)]);
        await change('', { method: 'PATCH', json: '{"plan":"business"}' });
        await change('', {});
        await change('/unban');
        await change('/revoke');
        await Promise.all([list(token, 401), list(next, 401)]);
        count(answered, 'life of a key');
      } catch (error) {
        if (!isFaultExpected('Postgres')) count(unexpected, String(error));
      }
      await pause(500);
    }
  }

  async function keepFailing(): Promise<void> {
    const failures = [
      ['Redis', 'hangs', redis.pause, redis.resume],
      ['Redis', 'restarts, empty', redis.kill, redis.restart],
      ['Postgres', 'restarts', postgres.kill, postgres.start],
      ['Postgres', 'hangs', postgres.pause, postgres.resume],
    ] as const;
    for (;;) {
      for (const [store, fault, fail, repair] of failures) {
        await pause(faultEveryMs);
        // No fault begins in the last seconds, so that the service recovers and Redis is filled
        // again.
        if (performance.now() > endsAt - faultEveryMs) return;
        print(`${store} ${fault}`);
        faultsUntil[store] = Number.POSITIVE_INFINITY;
        await fail();
        await pause(faultMs);
        await repair();
        faultsUntil[store] = performance.now();
      }
    }
  }

  async function keepWatching(): Promise<void> {
    while (goesOn()) {
      await pause(sampleEveryMs);
      samples.push(await memoryOf(server));
      // The error of the command is ignored, because Redis may be unavailable at this moment.
      const counted = await redis.command('eval', countKeys, '0').catch(() => '0 0');
      const [all = 0, forever = 0] = counted.split(' ').map(Number);
      keysInRedis.push(all);
      withoutExpiry += forever;
    }
  }

  // Free keys have a small quota, so they are soon denied and sometimes banned.
  const createFree = async () => (await admin.create('{"plan":"free"}')).token;
  const free = await Promise.all(Array.from({ length: 5 }, createFree));
  const load = startLoad({
    callers,
    pauseMs,
    ask: () => ask(mixedRequest(wide, randomOf(free), newestPet)),
  });
  await Promise.all([keepManagingKeys(), keepFailing(), keepWatching()]);
  await load.stop();
  agent.destroy();

  const there = await listAll(server, wide);
  const lost = [...acknowledged].filter((id) => !there.has(id)).length;
  const heap = growthOf(samples.map((sample) => sample.heap + sample.external));
  const rss = growthOf(samples.map((sample) => sample.rss));
  const keys = percentile(keysInRedis, 0.5);
  print(JSON.stringify({ answered, acknowledged: acknowledged.size, heap, rss, keys }, null, 1));
  deepEqual({ unexpected, lost, withoutExpiry }, { unexpected: {}, lost: 0, withoutExpiry: 0 });
  ok(heap.isFlat && rss.isFlat, 'Memory has grown.');
  ok(keys > 0, 'There were no keys in Redis.');
}

const print = (line: string) => process.stdout.write(`${line}\n`);

/** A Lua script that counts all Redis keys, and the Redis keys without an expiry. */
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

/** Returns a random request from one of many IP addresses. */
function mixedRequest(wide: string, free: string, newestPet: number): TrafficRequest {
  const once = { 'Idempotency-Key': randomUUID() };
  const huge = `"${'x'.repeat(20_000)}"`;
  const guess = randomBytes(9).toString('hex');
  const kinds: readonly [
    share: number,
    kind: string,
    sent: SentRequest,
    expectedStatuses: number[],
  ][] = [
    [40, 'list', get(wide, randomOf(lists)), [200]],
    [15, 'fetch', get(wide, `/pets/${randomInt(newestPet + 10)}`), [200, 404]],
    [8, 'create', create(wide, newPet()), [201]],
    [7, 'create once', create(wide, newPet(), once), [201]],
    [6, 'bad body', create(wide, randomOf(['', '{', '[]', '{"name":"x"}'])), [400]],
    [1, 'huge body', create(wide, huge), [413]],
    [2, 'bad query', get(wide, '/pets?limit=0'), [400]],
    // The status 429 is also correct for these requests, because too many of them may come from the
    // same address.
    [6, 'unknown key', get(createToken(), '/pets'), [401, 429]],
    [3, 'no token', get(guess, '/pets'), [401, 429]],
    [3, 'one address too often', get('guess', '/pets', '198.51.100.7'), [401, 429]],
    [5, 'free', get(free, '/pets'), [200, 429]],
    [1, 'orders', get(wide, '/store/orders'), [501]],
    [1, 'no such path', get(wide, '/nowhere'), [404]],
  ];
  const [, kind, sent, expectedStatuses] = randomOf(
    kinds.flatMap((each) => Array.from({ length: each[0] }, () => each)),
  );
  return { kind, sent, expectedStatuses };
}

const lists = ['/pets', '/pets?limit=100', '/pets?status=sold&limit=50'];

function newPet(): string {
  const status = randomOf(['available', 'pending', 'sold']);
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

/** Returns a random IPv4 or IPv6 address, one of many millions. */
function someAddress(): string {
  const [a, b] = [randomInt(65_536), randomInt(65_536)];
  return randomInt(2) === 0
    ? `10.${a >> 8}.${a & 255}.${b & 255}`
    : `2001:db8:${a.toString(16)}:${b.toString(16)}::1`;
}
