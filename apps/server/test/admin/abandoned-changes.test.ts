import { once } from 'node:events';
import { connect } from 'node:net';
import { adminBasePath } from '@animal-store/admin-contract';
import { until } from '@animal-store/testkit';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { adminToken, useAdmin } from '../support/admin.ts';
import { requestLine } from '../support/observed.ts';
import { rawRequest } from '../support/raw-http.ts';

const { service, admin } = useAdmin();

// When an account gets a new plan, the service first changes the account, and then moves the bans
// of its API keys in Redis. If the disconnection canceled the second step, the bans would move only
// 10 s later.
test('the admin API completes a change although the operator has disconnected in the meantime', async () => {
  await admin.create('{"plan":"pro","account":"C-17"}');
  const { db } = service.database;
  const socket = connect(Number(new URL(service.server.opsUrl).port), '127.0.0.1');
  await db.transaction(async (tx) => {
    await tx.execute(sql`select from accounts where name = 'C-17' for update`);
    const json = '{"plan":"pro"}';
    const headers = [
      'Host: localhost',
      `Authorization: Bearer ${adminToken}`,
      'X-Request-Id: abandoned',
      'Content-Type: application/json',
      `Content-Length: ${json.length}`,
    ];
    const line = `PUT ${adminBasePath}/accounts/C-17 HTTP/1.1`;
    socket.write(rawRequest({ line, headers, body: json }));
    const waiting = sql`pg_stat_activity`;
    const isWaiting = sql`datname = current_database() and wait_event_type = 'Lock'`;
    await until(async () => (await tx.$count(waiting, isWaiting)) > 0);
    socket.destroy();
    await once(socket, 'close');
    const { status } = await requestLine(service.server, 'abandoned');
    expect(status).toBe(499);
  });
  await until(async () => (await db.$count(sql`ban_moves`)) === 0);
  const { body } = await admin.call('/accounts/C-17');
  expect(body).toMatchObject({ plan: 'pro' });
});
