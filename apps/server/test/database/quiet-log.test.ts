import type { LedgerOfKey } from '@animal-store/contract/admin';
import { openPostgres } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { migratePostgres } from '../../src/database/migrate-postgres.ts';
import { adminOf, adminToken } from '../support/admin.ts';
import { openLocalServer, untilPassing } from '../support/local-server.ts';
import { call } from '../support/test-service.ts';

test('the service causes no error in the log of a fresh Postgres', async () => {
  await using postgres = await openPostgres();
  const { url } = await postgres.createDatabase();
  await migratePostgres(url);
  await using server = await openLocalServer({
    DATABASE_URL: url,
    ADMIN_TOKEN: adminToken,
    USAGE_FLUSH_MS: '50',
  });
  const admin = adminOf(server);
  const { key, token } = await admin.create('{"plan":"pro"}');
  const headers = { 'Idempotency-Key': 'quiet' };
  for (let n = 0; n < 2; n += 1) {
    await call(`${server.baseUrl}/pets`, { token, headers, json: '{"name":"Rex","categoryId":1}' });
  }
  await untilPassing([server], async () => {
    const { body } = await admin.call(`/keys/${key.id}/usage`);
    return (body as LedgerOfKey).rows.length > 0;
  });
  await server.stop();
  const complaints = postgres
    .output()
    .split('\n')
    .filter((line) => /\b(WARNING|ERROR|FATAL|PANIC|STATEMENT):/.test(line));
  expect(complaints).toEqual([]);
});
