import { expect, test } from 'vitest';
import { adminOf, adminToken, useAdmin } from '../support/admin.ts';
import { rawRequest, sendRaw } from '../support/raw-http.ts';
import { call, startService } from '../support/test-service.ts';

// `health.test.ts` tests when a replica of the service is ready. `database-outage.test.ts` tests an
// outage of Postgres, and `metrics.test.ts` an outage of Redis.

const { service } = useAdmin('postgres', { env: { OPS_HOSTS: 'Metrics.internal, server' } });

const notFound = { code: 'not_found', message: 'There is no such path.', status: 404 };

test.each<[method: string, path: string, status: number, body: unknown]>([
  ['GET', '/livez', 200, { status: 'alive' }],
  ['GET', '/readyz', 200, { status: 'ready', reasons: [] }],
  ['HEAD', '/readyz', 200, undefined],
  ['POST', '/readyz', 405, { code: 'method_not_allowed', status: 405 }],
  ['GET', '/', 404, notFound],
  ['GET', '/LIVEZ', 404, notFound],
  ['GET', '/v1/pets', 404, notFound],
  ['GET', '/admin/v2/keys', 404, notFound],
])(
  'the ops listener responds to %s %s with status %d and body %j',
  async (method, path, status, body) => {
    const answer = await call(service.server.opsUrl + path, { method });
    expect(answer).toMatchObject({ status, body });
    expect(answer.headers.get('Allow')).toBe(status === 405 ? 'GET, HEAD' : null);
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    expect(answer.headers.get('X-Request-Id')).toMatch(/^[\w-]{36}$/);
  },
);

test.each(['/livez', '/metrics', '/console', '/admin/v1/keys', '/v1/admin/v1/keys'])(
  "the public port responds with 404 to the operators' path %s",
  async (path) => {
    const answer = await call(service.server.origin + path, { token: service.tokens.enterprise });
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  },
);

const otherHost = 'Host: expected an IP address, localhost, or one of OPS_HOSTS';
const refused = { code: 'invalid_request', message: otherHost, status: 400 };

// The check of the Host header prevents DNS rebinding.
test.each([
  ...['127.0.0.1', '[::1]:3001', '10.1.2.3:3001', 'LOCALHOST:3001', 'metrics.internal:9', 'server'],
  ...['evil.example:3001', '127.0.0.1.evil.example', 'localhost.evil.example'],
  ...['metrics.internal.evil.example', 'evil.example@localhost', 'a b', '[', ''],
])(
  'the ops listener accepts a Host header only if it is an IP address, localhost or in OPS_HOSTS: %j',
  async (host) => {
    const isKnown = !/evil|^$|^\[$| /.test(host);
    for (const path of ['/livez', '/admin/v1/keys', '/console', '/nowhere']) {
      const bytes = rawRequest({ line: `GET ${path} HTTP/1.1`, headers: [`Host: ${host}`] });
      const [answer] = await sendRaw(service.server.opsUrl, bytes);
      if (isKnown) expect(answer?.status).not.toBe(400);
      else expect(answer).toMatchObject({ status: 400, body: refused });
    }
  },
);

// A request without a Host header cannot come from a browser, so it is safe.
test('the ops listener accepts a health check in HTTP/1.0 without a Host header', async () => {
  const [answer] = await sendRaw(service.server.opsUrl, 'GET /livez HTTP/1.0\r\n\r\n');
  expect(answer?.status).toBe(200);
});

test("a replica is ready if the database has all migrations of the replica's version, even if the database has newer migrations too", async () => {
  const { db } = service.database;
  const body = async () => (await call(`${service.server.opsUrl}/readyz`)).body;
  const reasons = [
    'The database lacks migrations that this version of the service needs; run the migrations of this version.',
  ];
  const migrations = 'drizzle.__drizzle_migrations';
  await db.execute(`insert into ${migrations} (hash, created_at) values ('newer', 9999999999999)`);
  expect(await body()).toEqual({ status: 'ready', reasons: [] });
  await db.execute('alter schema drizzle rename to gone');
  expect(await body()).toEqual({ status: 'not_ready', reasons });
  await db.execute('alter schema gone rename to drizzle');
  await db.execute(`update ${migrations} set created_at = -created_at where created_at >=
    (select max(created_at) from ${migrations} where hash <> 'newer')`);
  expect(await body()).toEqual({ status: 'not_ready', reasons });
  await db.execute(`update ${migrations} set created_at = abs(created_at)`);
});

// Regression: a replica reported that it was ready, although every SQL statement of callers failed.
// The replica only read the table of migrations, which is in another schema.
test('a replica is not ready while its database role cannot use the schema public', async () => {
  const { db } = service.database;
  const body = async () => (await call(`${service.server.opsUrl}/readyz`)).body;
  await db.execute('alter schema public rename to gone');
  expect(await body()).toEqual({
    status: 'not_ready',
    reasons: [
      'DATABASE_URL: the schema public does not exist, or the database role may not use the schema. Allow the role to use the schema: grant usage on schema public to ….',
    ],
  });
  await db.execute('alter schema gone rename to public');
  expect(await body()).toEqual({ status: 'ready', reasons: [] });
});

// `pace-requests.test.ts` tests which of the waiting requests starts first.
test('the ops listener responds to health checks while admin requests wait because of their rate limit', async () => {
  const ops = { adminToken, adminRequestsPerSecond: 4 };
  await using paced = await startService('postgres', { ops });
  const admin = adminOf(paced.server);
  expect((await admin.call('/operators')).status).toBe(200);
  let isWaiting = true;
  const waiting = admin.call('/operators').finally(() => {
    isWaiting = false;
  });
  for (const path of ['/livez', '/readyz', '/metrics']) {
    expect((await call(paced.server.opsUrl + path)).status).toBe(200);
  }
  expect(isWaiting).toBe(true);
  await paced.server.pass(250);
  expect((await waiting).status).toBe(200);
});

// `stop-on-signals.test.ts` tests how long a shutdown takes. `npm run test:deploy -- load-balancer`
// tests a shutdown behind a real load balancer.
test('a replica that shuts down still serves requests, reports that it is not ready, and closes each connection after its response', async () => {
  await using leaving = await startService('postgres');
  const ask = async () => {
    const { status, headers } = await leaving.call('/pets');
    return [status, headers.get('Connection')];
  };
  expect(await ask()).toEqual([200, 'keep-alive']);
  leaving.server.drain();
  expect((await call(`${leaving.server.opsUrl}/readyz`)).status).toBe(503);
  expect(await ask()).toEqual([200, 'close']);
});
