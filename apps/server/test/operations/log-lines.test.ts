import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { plans } from '@animal-store/contract';
import type { IssuedKey } from '@animal-store/contract/admin';
import { freePort, runServer, until } from '@animal-store/testkit';
import { describe, expect, test } from 'vitest';
import { hashToken } from '../../src/keys/token.ts';
import { adminOf, adminToken } from '../support/admin.ts';
import { createDatabase } from '../support/databases.ts';
import { listeningLine, logOf, requestLine } from '../support/observed.ts';
import { startService, useService } from '../support/test-service.ts';

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const durationMs = expect.any(Number);
const keyId = expect.stringMatching(/^[\da-f-]{36}$/);

describe('the log', () => {
  const service = useService('postgres', {
    env: {
      ADMIN_TOKEN: adminToken,
      ADDRESS_PER_MINUTE: '8',
      BAN_MIN_STRIKES: '1',
      BAN_STRIKE_PERCENT: '1',
      BAN_GRACE_MS: '0',
    },
  });

  const line = (requestId: string) => requestLine(service.server, requestId);
  const withId = (requestId: string) => ({ headers: { 'X-Request-Id': requestId } });

  test('has one line per request, with exactly these fields', async () => {
    const token = service.tokens.pro;
    const { status } = await service.call('/pets?limit=2', { ...withId('one'), token });
    expect(status).toBe(200);
    expect(await line('one')).toEqual({
      level: 'info',
      time,
      requestId: 'one',
      method: 'GET',
      route: '/v1/pets',
      status: 200,
      durationMs,
      keyId,
      plan: 'pro',
      tokenPrefix: token.slice(0, 8),
      quota: 'admitted',
      remaining: plans.pro.perMinute - 1,
      msg: 'request',
    });
    expect(logOf(service.server).filter(({ requestId }) => requestId === 'one')).toHaveLength(1);
  });

  test('has the template of the route and the code of the error', async () => {
    await service.call('/pets/9007199254740993', withId('missing'));
    expect(await line('missing')).toMatchObject({
      route: '/v1/pets/:petId',
      status: 404,
      errorCode: 'pet_not_found',
    });
    await service.call('/pets', { ...withId('method'), method: 'DELETE' });
    expect(await line('method')).toMatchObject({
      method: 'DELETE',
      route: '/v1/pets',
      status: 405,
      errorCode: 'method_not_allowed',
    });
    await service.call('/secret-of-mine', withId('nowhere'));
    expect(await line('nowhere')).toMatchObject({ route: 'other', errorCode: 'not_found' });
    await fetch(`${service.server.origin}/docs/guides/limits`, withId('file'));
    expect(await line('file')).toMatchObject({ route: '/docs/*', status: 200 });
  });

  test('has the network of a caller without a key', async () => {
    await service.call('/pets', { ...withId('stranger'), token: null });
    expect(await line('stranger')).toEqual({
      level: 'info',
      time,
      requestId: 'stranger',
      method: 'GET',
      route: '/v1/pets',
      status: 401,
      durationMs,
      quota: 'admitted',
      remaining: 7,
      errorCode: 'unauthorized',
      msg: 'request',
    });
  });

  test('has the quota decision of a request, and a line when a ban begins', async () => {
    const token = service.tokens.free;
    for (let i = 0; i < 60; i += 1) await service.call('/pets', { token });
    await service.call('/pets', { ...withId('denied'), token });
    expect(await line('denied')).toMatchObject({ status: 429, quota: 'denied', remaining: 0 });
    await service.call('/pets', { token });
    await service.call('/pets', { ...withId('banned'), token });
    expect(await line('banned')).toMatchObject({
      status: 429,
      quota: 'banned',
      remaining: 0,
      errorCode: 'key_temporarily_banned',
    });
    await service.call('/pets', { ...withId('still-banned'), token });
    await line('still-banned');
    const bans = logOf(service.server).filter(({ msg }) => msg === 'a key is banned for a while');
    expect(bans).toEqual([{ level: 'warn', time, keyId, seconds: 300, msg: expect.anything() }]);
  });

  test('has no line for invalid HTTP, because a caller could fill the disk', async () => {
    for (const origin of [service.server.origin, service.server.opsUrl]) {
      expect(await sendNonsense(origin)).toMatch(/^HTTP\/1\.1 400 /);
    }
    const lines = logOf(service.server).length;
    await service.call('/pets', withId('after-nonsense'));
    await line('after-nonsense');
    expect(logOf(service.server)).toHaveLength(lines + 1);
  });

  test('marks a request whose caller left before the response', async () => {
    const socket = connect(Number(new URL(service.server.origin).port), '127.0.0.1');
    socket.write(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nX-Request-Id: gone\r\nAuthorization: Bearer ${service.tokens.enterprise}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      () => socket.destroy(),
    );
    const lines = logOf(service.server).length;
    expect(await line('gone')).toMatchObject({ status: 499, aborted: true, route: '/v1/pets' });
    await service.call('/pets', withId('after'));
    await line('after');
    expect(logOf(service.server)).toHaveLength(lines + 2);
  });

  test('has one line per admin request, with the operator and the id of the key', async () => {
    const admin = adminOf(service.server);
    const created = await admin.call('/keys', {
      ...withId('made'),
      json: '{"name":"x","plan":"pro"}',
    });
    const { key, token } = created.body as IssuedKey;
    const told = {
      level: 'info',
      time,
      method: 'POST',
      route: '/admin/v1/keys',
      status: 201,
      durationMs,
      operator: 'ADMIN_TOKEN',
      keyId: key.id,
      requestId: 'made',
      msg: 'ops request',
    };
    expect(await line('made')).toEqual(told);
    await admin.call(`/keys/${key.id.toUpperCase()}/revoke`, {
      ...withId('revoked'),
      method: 'POST',
    });
    const revoked = { route: '/admin/v1/keys/:keyId/revoke', status: 200, requestId: 'revoked' };
    expect(await line('revoked')).toEqual({ ...told, ...revoked });
    for (const text of [token, adminToken]) expect(service.server.output()).not.toContain(text);
  });

  test("repeats nothing that a caller chose in an operator's request", async () => {
    const admin = adminOf(service.server);
    const { key } = await admin.create('{"name":"x","plan":"pro"}');
    await admin.call(`/keys/${key.id}/revoke`, { ...withId('guess'), method: 'POST', token: 'no' });
    expect(await line('guess')).toEqual({
      level: 'info',
      time,
      method: 'POST',
      route: '/admin/v1/keys/:keyId/revoke',
      status: 401,
      durationMs,
      errorCode: 'unauthorized',
      requestId: 'guess',
      msg: 'ops request',
    });
    await admin.call('/keys/secret-of-mine', withId('no-id'));
    await admin.call('/secret-of-mine', withId('no-path'));
    expect(await line('no-id')).toMatchObject({ route: '/admin/v1/keys/:keyId', status: 400 });
    expect(await line('no-path')).toMatchObject({ route: 'other', status: 404 });
    expect(service.server.output()).not.toContain('secret-of-mine');
  });

  test('leaves out successful probes', async () => {
    const succeeded: string[] = [];
    for (const path of ['/livez', '/readyz', '/metrics']) {
      // Repeated, because a probe of a slow database fails, and is logged.
      const id = await until(async () => {
        const id = crypto.randomUUID();
        return (await fetch(service.server.opsUrl + path, withId(id))).ok && id;
      });
      succeeded.push(id);
    }
    await adminOf(service.server).call('/keys', withId('after-probes'));
    await line('after-probes');
    const logged = logOf(service.server).map(({ requestId }) => requestId);
    for (const id of succeeded) expect(logged).not.toContain(id);
  });
});

test('the log begins with the version and the addresses, ends with the stop, and has no hash of a token', async () => {
  await using service = await startService('postgres');
  const { server, tokens } = service;
  expect(await listeningLine(server)).toEqual({
    level: 'info',
    time,
    version: '1.0.0',
    node: process.version,
    url: server.baseUrl,
    opsUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    database: 'postgres',
    quotas: 'in-process',
    msg: 'listening',
  });
  await service.call('/pets');
  await server.stop();
  expect(logOf(server).at(-1)).toEqual({ level: 'info', time, msg: 'stopped' });
  expect(server.output()).not.toContain(hashToken(tokens.enterprise));
});

// Linux has a device that is a full disk.
test.skipIf(!existsSync('/dev/full'))(
  'a banner and a log that cannot be written cost no request and no clean stop',
  async () => {
    await using database = await createDatabase('postgres');
    const port = await freePort();
    const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
    const statuses = new Set<number>();
    const { code } = await runServer({
      command: ['sh', '-c', 'exec "$0" "$1" > /dev/full 2> /dev/full', process.execPath, main],
      env: { ...database.env, PORT: String(port) },
      interrupt: {
        signal: 'SIGTERM',
        // Fails until the server listens. Then there are enough requests for several batches of lines.
        async when() {
          for (let i = 0; i < 100; i += 1) {
            statuses.add((await fetch(`http://127.0.0.1:${port}/v1/pets`)).status);
          }
          return true;
        },
      },
    });
    expect(statuses).toEqual(new Set([401, 429]));
    expect(code).toBe(0);
  },
);

/** Sends what is not HTTP, and gives the answer as it came. */
function sendNonsense(origin: string): Promise<string> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  socket.end('GET /secret-of-mine nonsense\r\n\r\n');
  return new Response(ReadableStream.from(socket)).text();
}
