// Checks the model at three points: 100, 1,000 and 10,000 keys, each of which sends a request.
//
//   node deploy/capacity/check.mjs

import { createRequire } from 'node:module';
import { createToken } from '../../apps/server/src/keys/token.ts';
import { openPostgres, openRedis, startServer, until } from '../../packages/testkit/src/index.ts';
import { assumptions } from './model.mjs';

const load = createRequire(new URL('../../apps/server/package.json', import.meta.url));
const postgres = load('postgres');
const adminToken = 'only-for-this-test-0123456789';
const callers = 32;

await using store = await openPostgres();
await using redis = await openRedis();
const tables = ['minutes', 'hours', 'days'];

console.log('| keys | Redis, bytes a key | ledger, bytes a row | server, CPU µs a request |');
console.log('|--:|--:|--:|--:|');
for (const keys of [100, 1_000, 10_000]) {
  await redis.command('flushall');
  const { url } = await store.createDatabase();
  await using server = await startServer({
    env: {
      ...{ DATABASE_URL: url, REDIS_URL: redis.url, ADMIN_TOKEN: adminToken },
      ...{ USAGE_FLUSH_MS: '500', USAGE_ROLL_UP_MS: '500', LOG_LEVEL: 'warn' },
    },
  });
  const sql = postgres(url, { max: 1, onnotice() {} });
  const tokens = Array.from({ length: keys }, () => createToken());
  await sql`
    with token as (select * from unnest(${tokens}::text[]) as token (text)),
      key as (insert into api_keys (name, plan) select 'k', 'pro' from token returning id),
      numbered as (select id, row_number() over () as n from key),
      given as (select text, row_number() over () as n from token)
    insert into api_tokens (hash, key_id, prefix)
    select encode(sha256(convert_to(text, 'UTF8')), 'hex'), id, left(text, 8)
    from given join numbered using (n)`;

  const usedMemory = async () =>
    Number(/used_memory:(\d+)/.exec(await redis.command('info', 'memory'))?.[1]);
  const cpuSeconds = async () => {
    const response = await fetch(`${server.opsUrl}/metrics`);
    return Number(/^process_cpu_seconds_total (\S+)/m.exec(await response.text())?.[1]);
  };
  const memoryBefore = await usedMemory();
  const cpuBefore = await cpuSeconds();
  const waiting = [...tokens];
  const call = async () => {
    for (let token = waiting.pop(); token !== undefined; token = waiting.pop()) {
      const headers = { Authorization: `Bearer ${token}` };
      const response = await fetch(`${server.baseUrl}/pets?limit=20`, { headers });
      await response.text();
      if (response.status !== 200) throw new Error(`A key gets ${response.status}.`);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  const cpuUs = (((await cpuSeconds()) - cpuBefore) * 1e6) / keys;
  const redisBytes = ((await usedMemory()) - memoryBefore) / keys;
  await until(async () => {
    const [row] = await sql`select coalesce(sum(requests), 0)::int as sum from usage.days
      where substring(key_id::text, 15, 1) = '4'`;
    return row?.sum >= keys;
  });
  const [ledger] = await sql`
    select sum(pg_total_relation_size(relid))::float8 as bytes,
      (select count(*) from usage.minutes) + (select count(*) from usage.hours)
        + (select count(*) from usage.days) as rows
    from pg_class, pg_partition_tree(pg_class.oid)
    where relnamespace = 'usage'::regnamespace and relname in ${sql(tables)}`;
  const rowBytes = ledger.bytes / Number(ledger.rows);
  await sql.end();
  console.log(
    `| ${keys.toLocaleString('en')} | ${Math.round(redisBytes)} | ${Math.round(rowBytes)} | ${Math.round(cpuUs)} |`,
  );
}
const { redisBytesPerKey, ledgerRowBytes, serverUs } = assumptions;
console.log(`| the model | ${redisBytesPerKey} | ${ledgerRowBytes} | ${Math.round(serverUs)} |`);
