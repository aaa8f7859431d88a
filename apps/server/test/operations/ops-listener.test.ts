import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/shared/clock.ts';
import { adminToken, useAdmin } from '../support/admin.ts';
import { createDatabase } from '../support/databases.ts';
import { expectStartupError } from '../support/expect-refusal.ts';
import { openLocalServer } from '../support/local-server.ts';
import { openRawServer } from '../support/raw-server.ts';
import { type CallOptions, call, startService } from '../support/test-service.ts';

// When a replica is ready: health.test.ts. Without Postgres: database-outage.test.ts. Without Redis: metrics.test.ts.

describe('the listener of operators', () => {
  const { service } = useAdmin();

  const ask = (path: string, options?: CallOptions) => call(service.server.opsUrl + path, options);

  test('reports that it is live and ready', async () => {
    expect(await ask('/livez')).toMatchObject({ status: 200, body: { status: 'alive' } });
    const ready = await ask('/readyz');
    expect(ready.body).toEqual({ status: 'ready', reasons: [] });
    expect(ready.headers.get('Cache-Control')).toBe('no-store');
    expect(ready.headers.get('X-Request-Id')).toMatch(/^[\w-]{36}$/);
  });

  test('both answer HEAD', async () => {
    expect(await ask('/livez', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect(await ask('/readyz', { method: 'HEAD' })).toMatchObject({ text: '' });
  });

  test.each(['/livez', '/readyz'])('%s answers no other method than GET and HEAD', async (path) => {
    const refused = await ask(path, { method: 'POST' });
    expect(refused).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(refused.headers.get('Allow')).toBe('GET, HEAD');
  });

  test.each(['/', '/livez/', '/LIVEZ', '/v1/pets', '/admin', '/admin/v2/keys', '/docs'])(
    '%s does not exist there',
    async (path) => {
      expect(await ask(path)).toMatchObject({
        status: 404,
        body: { code: 'not_found', message: 'There is no such path.', status: 404 },
      });
    },
  );

  test.each([
    ...['/livez', '/readyz', '/metrics', '/console', '/admin/v1/keys', '/v1/admin/v1/keys'],
    '/v1/livez',
  ])('%s does not exist on the public port', async (path) => {
    const headers = { Authorization: `Bearer ${adminToken}` };
    const withAdminToken = await call(service.server.origin + path, { headers });
    const withKey = await call(service.server.origin + path, {
      token: service.tokens.enterprise,
    });
    expect([401, 404]).toContain(withAdminToken.status);
    expect(withKey).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});

// Otherwise the empty string, or a well-known value, could be a token.
test('nobody is admitted without an ADMIN_TOKEN and without operators', async () => {
  await using service = await startService('postgres', { clock: systemClock });
  for (const path of ['/admin/v1/keys', '/admin/v1/', '/admin/v1', '/admin/v1/openapi.json']) {
    for (const authorization of ['', 'Bearer', 'Bearer undefined', `Bearer ${adminToken}`]) {
      const headers = authorization === '' ? {} : { Authorization: authorization };
      const answer = await call(service.server.opsUrl + path, { method: 'GET', headers });
      expect([401, 429]).toContain(answer.status);
    }
  }
});

test('a replica is ready only if the database has its migrations; it may have newer ones', async () => {
  await using service = await startService('postgres');
  const { db, close } = await service.database.open();
  onTestFinished(close);
  const body = async () => (await call(`${service.server.opsUrl}/readyz`)).body;
  const reasons = ['The database lacks migrations that this version needs.'];
  const lacking = { status: 'not_ready', reasons };
  const migrations = 'drizzle.__drizzle_migrations';
  await db.execute(`insert into ${migrations} (hash, created_at) values ('newer', 9999999999999)`);
  expect(await body()).toEqual({ status: 'ready', reasons: [] });
  for (const change of [
    `delete from ${migrations}
      where created_at >= (select max(created_at) from ${migrations} where hash <> 'newer')`,
    `truncate ${migrations}`,
    'drop schema drizzle cascade',
  ]) {
    await db.execute(change);
    expect(await body(), change).toEqual(lacking);
  }
});

test('a start fails if OPS_PORT is in use, and names it', async () => {
  await using database = await createDatabase('postgres');
  await using taken = await openRawServer();
  const { port } = taken;
  const starting = openLocalServer({ ...database.env, OPS_PORT: String(port) });
  const line = `^OPS_PORT: ${port} on 127\\.0\\.0\\.1 is in use\\. Choose another OPS_PORT\\.$`;
  await expectStartupError(starting, new RegExp(line));
});

// How long: stop-process.test.ts. Behind a real load balancer: `npm run test:deploy -- load-balancer`.
test('before a stop requests are served, and load balancers are told to go elsewhere', async () => {
  await using service = await startService('postgres');
  const connectionOf = async () => (await service.call('/pets')).headers.get('Connection');
  expect(await connectionOf()).toBe('keep-alive');
  service.server.drain();
  expect((await call(`${service.server.opsUrl}/readyz`)).status).toBe(503);
  expect(await service.call('/pets')).toMatchObject({ status: 200 });
  expect(await connectionOf()).toBe('close');
});
