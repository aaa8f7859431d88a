import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migratePostgres } from '@animal-store/postgres/migrate-postgres';
import {
  openRedis,
  openRedisCluster,
  patientQuotas,
  postgresAt,
  repository,
} from '@animal-store/testkit';
import { expect, inject, test } from 'vitest';
import { openQuotas } from '../../src/quotas/open-quotas.ts';
import { migrationOptions, usedTables } from '../../src/schema/migration-options.ts';
import { adminOf, adminToken } from '../support/admin.ts';
import { connectTo } from '../support/databases.ts';
import { openLocalServer } from '../support/local-server.ts';
import { scrape } from '../support/observed.ts';
import { call } from '../support/test-service.ts';

const { adminUrl } = inject('postgres');
const guide = readFileSync(join(repository, 'docs/operating.md'), 'utf8');

/**
 * Returns a code block from the section on permissions in docs/operating.md. The names in the block
 * are replaced by the names that the test uses.
 */
function block(language: string, names: Readonly<Record<string, string>>): string {
  const section = guide.slice(guide.indexOf('## Least rights'));
  const [, text = ''] = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(section) ?? [];
  expect(text, language).not.toBe('');
  return text.replaceAll(
    /\b(?:animals|owner_role|service_role|secret)\b/g,
    (name) => names[name] ?? name,
  );
}

/** Creates an empty database, the role of its owner, and the role of the service. */
async function createRoles() {
  await using stack = new AsyncDisposableStack();
  const admin = stack.use(connectTo(adminUrl));
  const suffix = process.hrtime.bigint().toString(36);
  const owner = `owner_${suffix}`;
  const service = `service_${suffix}`;
  for (const role of [owner, service]) {
    await admin.unsafe(`create role ${role} login password 'secret'`);
    stack.defer(() => admin.unsafe(`drop role ${role}`).then(() => {}));
  }
  const database = stack.use(await postgresAt({ adminUrl }).createDatabase());
  await admin.unsafe(`alter database "${database.name}" owner to ${owner}`);
  const urlOf = (role: string) => {
    const url = new URL(database.url);
    Object.assign(url, { username: role, password: 'secret' });
    return url.href;
  };
  const kept = stack.move();
  return {
    service,
    ownerUrl: urlOf(owner),
    serviceUrl: urlOf(service),
    /** The statements of docs/operating.md that grant the permissions of the service. */
    grants: () =>
      block('sql', { animals: database.name, owner_role: owner, service_role: service }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

// Regression: the service could not start, because `create schema if not exists` needs the
// permission to create a schema even if the schema exists.
test('the service starts and works with only the permissions that docs/operating.md lists', async () => {
  await using stack = new AsyncDisposableStack();
  const roles = stack.use(await createRoles());
  await migratePostgres(roles.ownerUrl, migrationOptions);
  {
    await using sql = connectTo(roles.ownerUrl);
    await sql.unsafe(roles.grants());
  }
  const redis = stack.use(await openRedis());
  await redis.command(...block('text', { secret: 'secret' }).trim().split(/\s+/));

  const server = stack.use(
    await openLocalServer({
      DATABASE_URL: roles.serviceUrl,
      REDIS_URL: redis.url.replace('//', '//animal-store:secret@'),
      ADMIN_TOKEN: adminToken,
      USAGE_FLUSH_MS: '10',
    }),
  );
  const operators = adminOf(server);
  const { token, key } = await operators.create(
    '{"plan":"enterprise","quota":{"perMinute":1,"perDay":9},"account":"C-17"}',
  );
  const ask = (path: string, json?: string) =>
    call(`${server.baseUrl}${path}`, { token, ...(json && { json }) });
  const pet = '{"name":"Rex","categoryId":1}';
  expect((await ask('/pets', pet)).status).toBe(201);
  expect((await ask('/pets')).status).toBe(429);
  expect((await call(`${server.baseUrl}/pets`, { token: null })).status).toBe(401);
  const keyPath = `/keys/${key.id}`;
  for (const [path, json, status] of [
    [`${keyPath}/credit`, '{}', 200],
    [`${keyPath}/unban`, '{}', 200],
    [`${keyPath}/suspend`, '{}', 200],
    [`${keyPath}/resume`, '{}', 200],
    [`${keyPath}/rotate`, '{}', 200],
    [`${keyPath}/revoke`, '{}', 200],
    ['/operators', '{"name":"Ada","role":"owner"}', 201],
  ] as const) {
    expect((await operators.call(path, { json })).status, path).toBe(status);
  }
  for (const path of [
    '/keys?search=of',
    '/accounts',
    '/usage',
    '/audit',
    '/overview',
    '/operators',
  ]) {
    expect((await operators.call(path)).status, path).toBe(200);
  }
  const metrics = await scrape(server);
  expect(metrics).not.toMatch(/statement_errors_total\{[^}]*42501/);
  expect(metrics).toMatch(/^animal_store_redis_breaker_open 0$/m);
  expect(await redis.command('acl', 'log')).toBe('');
  // The role of the service must not be able to create or drop tables.
  await using sql = connectTo(roles.serviceUrl);
  await expect(sql`create table public.other ()`).rejects.toMatchObject({ code: '42501' });
  await expect(sql`drop table pets`).rejects.toMatchObject({ code: '42501' });
});

// Regression: the list had no CLUSTER INFO, so the quotas never used the Cluster.
test('a Redis Cluster decides requests of a user that has only the permissions that docs/operating.md lists', async () => {
  const [, added = ''] = /In a Cluster, add (.*?), and create the user/.exec(guide) ?? [];
  const more = [...added.matchAll(/`(\+\S+)`/g)].map(([, permission = '']) => permission);
  expect(more).not.toEqual([]);
  await using cluster = await openRedisCluster();
  for (const node of cluster.nodes) {
    await node.command(...block('text', { secret: 'secret' }).trim().split(/\s+/), ...more);
  }
  const redis = cluster.urls.map((url) => url.replace('//', '//animal-store:secret@'));
  const quotas = await openQuotas({ redis, ...patientQuotas });
  const quota = { perMinute: 1, perDay: 100 };
  // The requests have so many different API keys that every node gets some of the counts.
  for (let i = 0; i < 30; i += 1) {
    expect((await quotas.keys.consume({ id: `key ${i}`, quota })).scope).toBe('service');
  }
  quotas.close();
  for (const node of cluster.nodes) expect(await node.command('acl', 'log')).toBe('');
});

// Regression: a service whose role could not read the tables was ready, and every request got 500.
test('the service does not start if its role lacks permissions for a table or a sequence, and names it', async () => {
  await using roles = await createRoles();
  await migratePostgres(roles.ownerUrl, migrationOptions);
  await using sql = connectTo(roles.ownerUrl);
  const start = () => migratePostgres(roles.serviceUrl, migrationOptions);
  await expect(start()).rejects.toThrow(
    'DATABASE_URL: cannot open the database: permission denied for schema drizzle. Migrate the database as its owner, and then run the statements of "Least rights"',
  );
  await sql.unsafe(roles.grants());
  await start();
  for (const permission of ['select', 'insert', 'update', 'delete']) {
    await sql.unsafe(`revoke ${permission} on accounts, usage.written from ${roles.service}`);
    await expect(start(), permission).rejects.toThrow(
      `the database role ${roles.service} lacks permissions for these tables and sequences: public.accounts, usage.written.`,
    );
    await sql.unsafe(roles.grants());
  }
  await sql.unsafe(`revoke usage on sequence pets_id_seq from ${roles.service}`);
  await expect(start()).rejects.toThrow('for these tables and sequences: pets_id_seq.');
  await sql.unsafe(roles.grants());
  // A later version may drop a table that this version still uses.
  await sql`drop table usage.flushes cascade`;
  await start();
});

test('the service checks the permissions of every table that the migrations create', async () => {
  await using roles = await createRoles();
  await migratePostgres(roles.ownerUrl, migrationOptions);
  await using sql = connectTo(roles.ownerUrl);
  const found = await sql<{ name: string }[]>`
    select table_schema || '.' || table_name as name from information_schema.tables
    where table_schema in ('public', 'usage')`;
  // This version of the service does not use the table `usage.key_days`.
  expect(found.map(({ name }) => name).filter((name) => name !== 'usage.key_days')).toEqual(
    expect.arrayContaining([...usedTables]),
  );
  expect(found).toHaveLength(usedTables.length + 1);
});
