// Checks the model on this machine: one replica with its own Postgres and Redis, and requests that are
// spread over 1, 100, 1,000 and 10,000 keys. Takes a minute or two, and needs the machine for itself.
//
//   npx node deploy/capacity/check.mjs
//
// Every point is measured twice: when no key is cached yet, and again. CPU time is compared in units of
// a request of the one key, because machines differ and neighbours disturb.

import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { createRequire } from 'node:module';
import { cpuTimeNs } from '../../apps/bench/src/machine.ts';
import { createToken } from '../../apps/server/src/keys/token.ts';
import { openPostgres, openRedis, startServer, until } from '../../packages/testkit/src/index.ts';
import { assumptions } from './model.mjs';

const load = createRequire(new URL('../../apps/server/package.json', import.meta.url));
const postgres = load('postgres');
const callers = 32;
/** A service that has answered few requests is still being compiled, and takes twice as much. */
const warmUpRequests = 30_000;
const requests = 10_000;

await using store = await openPostgres({ settings: ['autovacuum=off'] });
await using redis = await openRedis();
const { url } = await store.createDatabase();
await using server = await startServer({
  env: {
    ...{ DATABASE_URL: url, REDIS_URL: redis.url, LOG_LEVEL: 'warn' },
    USAGE_FLUSH_MS: '1000',
  },
});
const sql = postgres(url, { max: 1, onnotice() {} });
let sent = 0;
const agent = new Agent({ keepAlive: true, maxSockets: callers });

const [first] = await createKeys(1);
await send(Array(warmUpRequests).fill(first));
await untilWritten();
const one = await measure(Array(requests).fill(first));

console.log(
  '| keys | requests | looked up | ledger entries | server | Postgres | the model: server | Postgres |',
);
console.log('|--:|--:|--:|--:|--:|--:|--:|--:|');
show('1', one, { lookups: 0 });
const bytes = [];
for (const count of [100, 1_000, 10_000]) {
  const name = count.toLocaleString('en');
  const bytesBefore = await redisBytes();
  const keys = await createKeys(count);
  const tokens = shuffled(Array.from({ length: requests }, (_, index) => keys[index % count]));
  show(name, await measure(tokens), { lookups: count });
  show(`${name}, again`, await measure(tokens), { lookups: 0 });
  bytes.push(`${name} keys: ${Math.round(((await redisBytes()) - bytesBefore) / count)}`);
}
console.log(
  `\nBytes of Redis a key: ${bytes.join('; ')}; the model: ${assumptions.redisBytesPerKey}`,
);
agent.destroy();
await sql.end();

function show(name, measured, { lookups }) {
  const { lookupCost, entryCost } = assumptions;
  const unit = one.serverUs;
  const shareOf = (part) =>
    (lookups * lookupCost[part] + (measured.entries - one.entries) * entryCost[part]) / requests;
  const cells = [
    ...[name, requests.toLocaleString('en'), lookups.toLocaleString('en'), measured.entries],
    ...[measured.serverUs, measured.postgresUs].map((us) => (us / unit).toFixed(2)),
    (1 + shareOf('server')).toFixed(2),
    (one.postgresUs / unit + shareOf('postgres')).toFixed(2),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

async function createKeys(count) {
  const tokens = Array.from({ length: count }, () => createToken());
  await sql`
    with token as (select * from unnest(${tokens}::text[]) as token (text)),
      key as (insert into api_keys (name, plan, per_minute, per_day)
        select 'k', 'enterprise', 1000000, 100000000 from token returning id),
      numbered as (select id, row_number() over () as n from key),
      given as (select text, row_number() over () as n from token)
    insert into api_tokens (hash, key_id, prefix)
    select encode(sha256(convert_to(text, 'UTF8')), 'hex'), id, left(text, 8)
    from given join numbered using (n)`;
  return tokens;
}

/** Always in the same order. */
function shuffled(items) {
  let state = 1;
  return items
    .map((item) => {
      state = (state * 48_271) % 2_147_483_647;
      return { item, at: state };
    })
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Sends a request for each token, some at a time. */
async function send(tokens) {
  let next = 0;
  const call = async () => {
    while (next < tokens.length) {
      const headers = { Authorization: `Bearer ${tokens[next++]}` };
      const [response] = await once(
        get(`${server.baseUrl}/pets?limit=20`, { agent, headers }),
        'response',
      );
      if (response.statusCode !== 200) throw new Error(`A key gets ${response.statusCode}.`);
      await once(response.resume(), 'end');
      sent += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
}

/** The CPU microseconds of a request, and the rows by minute that the ledger has of all of them. */
async function measure(tokens) {
  const cpu = () => ({ server: cpuTimeNs(server.pid), postgres: cpuTimeNs(store.pid) });
  const entries = async () => {
    const [row] = await sql`select count(*)::int from usage.counts where span = 1`;
    return row.count;
  };
  const entriesBefore = await entries();
  const before = cpu();
  await send(tokens);
  await untilWritten();
  const after = cpu();
  return {
    serverUs: (after.server - before.server) / 1_000 / tokens.length,
    postgresUs: (after.postgres - before.postgres) / 1_000 / tokens.length,
    entries: (await entries()) - entriesBefore,
  };
}

/** Waits until the ledger has every request. */
function untilWritten() {
  return until(async () => {
    const [row] = await sql`select coalesce(sum(requests), 0)::int as sum from usage.counts
      where span = 1440 and key_id::text not like '00000000-0000-0000-%'`;
    return row.sum >= sent;
  });
}

/** Bytes of Redis. */
async function redisBytes() {
  return Number(/used_memory:(\d+)/.exec(await redis.command('info', 'memory'))?.[1]);
}
