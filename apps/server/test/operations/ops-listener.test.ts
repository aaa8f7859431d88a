import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import {
  openRedis,
  openTcpProxy,
  type Redis,
  runServer,
  type TcpProxy,
  until,
} from '@animal-store/testkit';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminToken, useAdmin } from '../support/admin.ts';
import { createDatabase, type TestDatabase } from '../support/databases.ts';
import { type LocalServer, openLocalServer } from '../support/local-server.ts';
import { logOf } from '../support/observed.ts';
import { type CallOptions, call, createKeys } from '../support/test-service.ts';

const mentioning = (part: string) => [expect.stringContaining(part)];

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

  test.each(['/livez', '/readyz', '/metrics', '/admin/v1/keys', '/v1/admin/v1/keys', '/v1/livez'])(
    '%s does not exist on the public port',
    async (path) => {
      const headers = { Authorization: `Bearer ${adminToken}` };
      const withAdminToken = await call(service.server.origin + path, { headers });
      const withKey = await call(service.server.origin + path, {
        token: service.tokens.enterprise,
      });
      expect([401, 404]).toContain(withAdminToken.status);
      expect(withKey).toMatchObject({ status: 404, body: { code: 'not_found' } });
    },
  );
});

describe('a replica on Postgres and Redis', () => {
  const stack = new AsyncDisposableStack();
  let database: TestDatabase;
  let proxy: TcpProxy;
  let redis: Redis;
  let server: LocalServer;
  let token = '';

  beforeAll(async () => {
    database = stack.use(await createDatabase('postgres'));
    token = (await createKeys(database)).enterprise;
    redis = stack.use(await openRedis());
    const url = database.env['DATABASE_URL'] ?? '';
    const target = { host: '127.0.0.1', port: Number(new URL(url).port) };
    proxy = stack.use(await openTcpProxy({ target }));
    const env = { DATABASE_URL: proxy.via(url), REDIS_URL: redis.url };
    const health = { databaseTimeoutMs: 1_000 };
    server = stack.use(await openLocalServer(env, { timings: { health } }));
  });
  afterAll(() => stack.disposeAsync());

  const readiness = async () => {
    const { status, body, headers } = await call(`${server.opsUrl}/readyz`);
    return { status, body, retryAfter: headers.get('Retry-After') };
  };
  const ready = { status: 200, body: { status: 'ready', reasons: [] }, retryAfter: null };

  // Otherwise the empty string, or a well-known value, could be a token.
  test('admits nobody without an ADMIN_TOKEN and without operators', async () => {
    for (const path of ['/admin/v1/keys', '/admin/v1/', '/admin/v1', '/admin/v1/openapi.json']) {
      for (const authorization of [
        undefined,
        'Bearer',
        'Bearer undefined',
        `Bearer ${adminToken}`,
      ]) {
        const headers = authorization === undefined ? {} : { Authorization: authorization };
        const answer = await call(server.opsUrl + path, { method: 'GET', headers });
        expect([401, 429]).toContain(answer.status);
      }
    }
  });

  test('is ready only while the database answers', async () => {
    const notReady = (reason: string) => ({
      status: 503,
      body: { status: 'not_ready', reasons: mentioning(reason) },
      retryAfter: '1',
    });
    await expect.poll(readiness).toEqual(ready);

    await proxy.cut();
    expect(await readiness()).toEqual(notReady('database'));
    expect((await call(`${server.opsUrl}/livez`)).status).toBe(200);
    await proxy.resume();
    await until(async () => (await readiness()).status === 200);

    proxy.blackhole();
    expect(await readiness()).toEqual(notReady('did not answer within 1000 ms'));
    // The log says what the probe was told, and is written a moment later.
    const told = ['The database did not answer within 1000 ms.'];
    const line = await until(() =>
      logOf(server).find(({ reasons }) => isDeepStrictEqual(reasons, told)),
    );
    expect(line).toMatchObject({ level: 'warn', route: '/readyz', status: 503 });
    await proxy.resume();
    await until(async () => (await readiness()).status === 200);
    await expect.poll(readiness).toEqual(ready);
  });

  test('is ready only if the database has its migrations; it may have newer ones', async () => {
    const sql = postgres(database.env['DATABASE_URL'] ?? '', { max: 1, onnotice: () => {} });
    const body = async () => (await readiness()).body;
    const lacking = { status: 'not_ready', reasons: mentioning('lacks migrations') };
    // A copy, so that the other tests find what is there.
    await sql.unsafe(`
      alter schema drizzle rename to kept;
      create schema drizzle;
      create table drizzle.__drizzle_migrations as table kept.__drizzle_migrations;
    `);
    try {
      await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 9999999999999)`;
      await expect.poll(body).toEqual(ready.body);
      await sql`delete from drizzle.__drizzle_migrations where created_at = (select max(created_at) from drizzle.__drizzle_migrations where hash <> 'newer') or hash = 'newer'`;
      await expect.poll(body).toEqual(lacking);
      await sql`truncate drizzle.__drizzle_migrations`;
      await expect.poll(body).toEqual(lacking);
      await sql`drop schema drizzle cascade`;
      await expect.poll(body).toEqual(lacking);
      await sql`alter schema kept rename to drizzle`;
      await expect.poll(readiness).toEqual(ready);
    } finally {
      await sql.end();
    }
  });

  test('is degraded, and ready, without its Redis', async () => {
    await expect.poll(readiness).toEqual(ready);

    await redis.kill();
    expect((await call(`${server.baseUrl}/pets`, { token })).status).toBe(200);
    await expect.poll(readiness).toMatchObject({
      status: 200,
      body: { status: 'degraded', reasons: mentioning('Redis is away') },
    });

    await redis.restart();
    await expect.poll(readiness).toEqual(ready);
  });
});

describe('a start fails', () => {
  test('if OPS_PORT is in use, and names it', async () => {
    await using database = await createDatabase('postgres');
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    try {
      const run = await runServer({ env: { ...database.env, OPS_PORT: String(port) } });
      expect(run.code).toBe(1);
      expect(run.stderr).toBe(
        `OPS_PORT: ${port} on 127.0.0.1 is in use. Choose another OPS_PORT.\n`,
      );
    } finally {
      taken.close();
    }
  });
});
