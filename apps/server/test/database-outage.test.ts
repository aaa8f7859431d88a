import { openPostgres, startServer, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { openPostgres as openDatabase } from '../src/database/open-postgres.ts';
import { createKeyRepository } from '../src/keys/key-repository.ts';
import { expectError } from './support/expectations.ts';
import { call, wideQuota } from './support/service.ts';

test('while the database is away every operation answers 503, and goes on once it is back', async () => {
  // A Postgres of its own: others are using the one of this run.
  await using postgres = await openPostgres();
  await using database = await postgres.createDatabase();
  const { db, close } = await openDatabase(database.url);
  const key = { name: 'outage', plan: 'enterprise', quota: wideQuota } as const;
  const { token } = await createKeyRepository(db).create(key);
  await close();
  await using server = await startServer({ env: { DATABASE_URL: database.url } });
  const json = '{"name":"Rex","categoryId":1}';
  const headers = { 'Idempotency-Key': 'outage' };
  const created = await call(`${server.baseUrl}/pets`, { token, json });
  expect(created.status).toBe(201);

  await postgres.kill();
  for (const [path, options] of [
    ['/pets', {}],
    ['/pets/1', {}],
    ['/pets', { json }],
    ['/pets', { json, headers }],
  ] as const) {
    const answer = await call(server.baseUrl + path, { token, ...options });
    expectError(answer, 503, 'service_unavailable');
    expect(answer.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
    expect(answer.text).not.toMatch(/postgres|ECONN|select|insert/i);
  }
  expectError(await call(`${server.baseUrl}/pets`, { token: null }), 401, 'unauthorized');

  await postgres.start();
  const list = () => call(`${server.baseUrl}/pets`, { token });
  await until(async () => (await list()).status === 200);
  expect((await list()).body).toEqual([created.body]);
});
