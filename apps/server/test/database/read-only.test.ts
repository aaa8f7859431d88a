import { systemClock } from '@animal-store/runtime';
import { hangMs, until } from '@animal-store/testkit';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { createApiKey } from '../../src/keys/create-key.ts';
import { expectError } from '../support/expectations.ts';
import { logOf } from '../support/observed.ts';
import { call, useService, wideQuota } from '../support/test-service.ts';

const service = useService('postgres', {
  clock: systemClock,
  database: { probeEveryMs: 100, searchPauseMs: 20 },
  observability: { logLevel: 'warn' },
});
const json = '{"name":"Rex","categoryId":1}';

const readiness = async () => (await call(`${service.server.opsUrl}/readyz`, { token: null })).body;

test('the service responds to writes with 503 and serves all other requests when its database is read-only', async () => {
  const { db } = service.database;
  const key = { name: 'new', plan: 'enterprise', quota: wideQuota } as const;
  const { token: newToken } = await createApiKey(db, key);
  const created = await service.call('/pets', { json });
  const name = new URL(service.database.url).pathname.slice(1);
  const setReadOnly = (value: string) =>
    db.execute(sql.raw(`alter database "${name}" set default_transaction_read_only = ${value}`));

  await setReadOnly('on');
  // The setting applies only to new sessions, so the test ends the old sessions and waits until
  // they have ended. A session that ended later would cause responses with 503.
  await db.execute(sql`select pg_terminate_backend(pid, ${hangMs}) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`);

  await until(async () => (await service.call('/pets')).status === 200);
  for (const headers of [{}, { 'Idempotency-Key': 'read-only' }]) {
    const answer = await service.call('/pets', { json, headers });
    expectError(answer, 503, 'service_unavailable');
  }
  expect((await service.call('/pets')).body).toEqual([created.body]);
  expect((await service.call('/pets', { token: newToken })).status).toBe(200);
  expect(await readiness()).toEqual({
    status: 'not_ready',
    reasons: ['The database is read-only.'],
  });
  await until(() =>
    logOf(service.server).some(
      (line) => line['code'] === '25006' && line['reason'] === 'The database is read-only.',
    ),
  );

  // The existing sessions stay read-only until the service replaces them.
  await db.execute(sql`set default_transaction_read_only = off`);
  await setReadOnly('off');
  await until(async () => (await service.call('/pets', { json })).status === 201);
  await expect.poll(readiness).toMatchObject({ status: 'ready' });
});
