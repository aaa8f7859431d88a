import type { DatabaseError } from '@animal-store/postgres';
import { followStatements } from '@animal-store/postgres/internal';
import { expect, test } from 'vitest';
import { connectTo } from '../support/databases.ts';
import { untilPassing } from '../support/local-server.ts';
import { startService } from '../support/test-service.ts';

const everySecond = { deleteExpiredMs: 1_000 };

// Regression: the service deleted expired idempotency keys on the connections for requests, and
// expired audit entries on the connections for operators. A slow deletion delayed them.
test('the service deletes expired rows only on the connection for background work', async () => {
  await using service = await startService('postgres', {
    ...{ audit: everySecond, pets: everySecond, usage: everySecond, bans: { deleteMs: 1_000 } },
    // The deletions below wait for locks until this timeout. Their errors name the connection pool.
    database: { statementSeconds: 1, operatorSeconds: 1 },
  });
  const pools = new Map<string, string | undefined>();
  const unfollow = followStatements((name, error) => {
    if (name.startsWith('delete_') && error) pools.set(name, (error as DatabaseError).pool);
  });
  await using sql = connectTo(service.database.url);
  await sql.begin(async (tx) => {
    await tx`lock table audit_entries, idempotency_keys, open_bans, usage.counts`;
    await untilPassing([service.server], () => pools.size === 4);
  });
  unfollow();
  expect(Object.fromEntries(pools)).toEqual({
    delete_audit_entries: 'background',
    delete_bans: 'background',
    delete_expired_idempotency_keys: 'background',
    delete_usage: 'background',
  });
});
