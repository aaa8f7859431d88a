import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  freePort,
  openRedis,
  openTcpProxy,
  runServer,
  startServer,
  until,
} from '@animal-store/testkit';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { adminToken } from '../support/admin.ts';
import { createDatabase, kindsOfThisRun } from '../support/databases.ts';
import { logOf } from '../support/observed.ts';
import { type CliEnvironment, cli } from '../support/run-command.ts';
import { useSharedService } from '../support/shared-service.ts';
import { type CallOptions, call, startService, useService } from '../support/test-service.ts';

const mentioning = (part: string) => [expect.stringContaining(part)];

describe.each(kindsOfThisRun)('on %s', (kind) => {
  const { service } = useSharedService(kind);

  const ask = (path: string, options?: CallOptions) => call(service.server.opsUrl + path, options);

  /** On a slow machine, the database may need longer than the second that `/readyz` gives it. */
  const untilReady = (options: CallOptions) =>
    until(async () => {
      const answer = await ask('/readyz', options);
      return answer.status === 200 && answer;
    });

  test('reports that it is live and ready', async () => {
    expect(await ask('/livez')).toMatchObject({ status: 200, body: { status: 'alive' } });
    const ready = await untilReady({});
    expect(ready.body).toEqual({ status: 'ready', reasons: [] });
    expect(ready.headers.get('Cache-Control')).toBe('no-store');
    expect(ready.headers.get('X-Request-Id')).toMatch(/^[\w-]{36}$/);
  });

  test('both answer HEAD', async () => {
    expect(await ask('/livez', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect(await untilReady({ method: 'HEAD' })).toMatchObject({ text: '' });
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

describe('a replica on Postgres', () => {
  const service = useService('postgres');

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
        const answer = await call(service.server.opsUrl + path, { method: 'GET', headers });
        expect([401, 429]).toContain(answer.status);
      }
    }
  });

  test('is ready only while the database answers', async () => {
    await using database = await createDatabase('postgres');
    const url = database.env['DATABASE_URL'] ?? '';
    const target = { host: '127.0.0.1', port: Number(new URL(url).port) };
    await using proxy = await openTcpProxy({ target });
    await using server = await startServer({ env: { DATABASE_URL: proxy.via(url) } });
    const readiness = async () => {
      const { status, body, headers } = await call(`${server.opsUrl}/readyz`);
      return { status, body, retryAfter: headers.get('Retry-After') };
    };
    const notReady = (reason: string) => ({
      status: 503,
      body: { status: 'not_ready', reasons: mentioning(reason) },
      retryAfter: '1',
    });
    const ready = { status: 200, body: { status: 'ready', reasons: [] }, retryAfter: null };
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
    const sql = postgres(service.database.env['DATABASE_URL'] ?? '', {
      max: 1,
      onnotice: () => {},
    });
    try {
      const readiness = async () => (await call(`${service.server.opsUrl}/readyz`)).body;
      const lacking = { status: 'not_ready', reasons: mentioning('lacks migrations') };
      await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 9999999999999)`;
      await expect.poll(readiness).toEqual({ status: 'ready', reasons: [] });
      await sql`delete from drizzle.__drizzle_migrations where created_at = (select max(created_at) from drizzle.__drizzle_migrations where hash <> 'newer') or hash = 'newer'`;
      await expect.poll(readiness).toEqual(lacking);
      await sql`truncate drizzle.__drizzle_migrations`;
      await expect.poll(readiness).toEqual(lacking);
      await sql`drop schema drizzle cascade`;
      await expect.poll(readiness).toEqual(lacking);
    } finally {
      await sql.end();
    }
  });

  test('is degraded, and ready, without its Redis', async () => {
    await using redis = await openRedis();
    await using service = await startService('postgres', { env: { REDIS_URL: redis.url } });
    const readiness = () => call(`${service.server.opsUrl}/readyz`);
    await expect.poll(readiness).toMatchObject({ status: 200, body: { status: 'ready' } });

    await redis.kill();
    expect((await service.call('/pets')).status).toBe(200);
    await expect.poll(readiness).toMatchObject({
      status: 200,
      body: { status: 'degraded', reasons: mentioning('Redis is away') },
    });

    await redis.restart();
    await until(async () => ((await readiness()).body as { status: string }).status === 'ready');
  });
});

describe("an embedded server's socket", () => {
  const socketOf = (dataDir = '') => join(dataDir, 'ops.sock');

  test('accepts commands without a token from its own user, besides a port that is guarded', async () => {
    await using database = await createDatabase('embedded');
    const port = await freePort();
    const env = { ...database.env, ADMIN_TOKEN: adminToken, OPS_PORT: String(port) };
    const dataDir = database.env['DATA_DIR'] ?? '';
    const socket = socketOf(dataDir);
    await using first = await startServer({ env });
    expect(await statusOver(socket)).toBe(200);
    expect((await stat(socket)).mode & 0o777).toBe(0o600);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    const url = `${first.opsUrl}/admin/v1/keys`;
    expect((await call(url, { token: adminToken })).status).toBe(200);
    expect((await call(url)).status).toBe(401);

    // It is left behind by kill -9, replaced at the next start, and removed by a stop.
    await first.kill();
    expect(existsSync(socket)).toBe(true);
    await expectNothingSentTo(port, database.env);
    await using second = await startServer({ env });
    expect(await statusOver(socket)).toBe(200);
    await second.stop();
    expect(existsSync(socket)).toBe(false);
  });

  // The CLI once sent the token to whoever listened on the port that a killed server had left behind.
  async function expectNothingSentTo(port: number, env: CliEnvironment): Promise<void> {
    let connections = 0;
    await using squatter = createTcpServer(() => {
      connections += 1;
    }).listen(port, '127.0.0.1');
    await once(squatter, 'listening');
    expect(await cli(['keys', 'list'], env)).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: No server answers at ${env.DATA_DIR}: ECONNREFUSED. Is it running?\n`,
    });
    expect(connections).toBe(0);
  }

  /** Lists keys over a Unix socket, without a token, and gives the status. */
  async function statusOver(socketPath: string): Promise<number> {
    const req = request({ socketPath, path: '/admin/v1/keys' }).end();
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    res.resume();
    return res.statusCode ?? 0;
  }
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
