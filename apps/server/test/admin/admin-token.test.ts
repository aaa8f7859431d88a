import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { IssuedOperator, IssuedSession } from '@animal-store/contract/admin';
import { until } from '@animal-store/testkit';
import { describe, expect, test } from 'vitest';
import { createToken } from '../../src/keys/token.ts';
import { adminOf, adminToken, useAdmin } from '../support/admin.ts';
import { logOf, sample, scrape } from '../support/observed.ts';
import { sendRaw } from '../support/raw-http.ts';
import type { Answer } from '../support/send.ts';
import { startService } from '../support/test-service.ts';

const nobody = '00000000-0000-4000-8000-000000000000';
const env = { ADMIN_TOKEN: adminToken };

describe('the admin token', () => {
  const { service, admin } = useAdmin('postgres', {
    env: { ...env, MAX_PIPELINED_REQUESTS: '25' },
  });

  test.each(['/keys', `/keys/${nobody}`, '/nothing', '/', '/keys/%ff'])(
    'is required at %s, and a request without one is not counted as a guess',
    async (path) => {
      for (let n = 0; n < 12; n++) {
        const answer = await admin.call(path, { token: null });
        expect(answer.status).toBe(401);
        expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer realm="animal-store-admin"');
        expect(answer.body).toEqual({
          code: 'unauthorized',
          message: 'Send your token as "Authorization: Bearer <token>".',
          status: 401,
        });
      }
    },
  );

  test.each([
    `Bearer ${adminToken}x`,
    `Bearer ${adminToken.slice(0, -1)}`,
    `Bearer ${adminToken.toUpperCase()}`,
    `Basic ${adminToken}`,
    'Bearer',
  ])('is not %s', async (authorization) => {
    const answer = await admin.call('/keys', {
      token: null,
      headers: { Authorization: authorization },
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('WWW-Authenticate')).toBe(
      'Bearer realm="animal-store-admin", error="invalid_token"',
    );
    expect(answer.body).toEqual({
      code: 'unauthorized',
      message: 'The admin token is not right.',
      status: 401,
    });
  });

  test.each([
    ['the right one twice', [adminToken, adminToken]],
    ['the right one first', [adminToken, 'x']],
    ['the right one last', ['x', adminToken]],
  ])('is refused with another Authorization: %s', async (_what, tokens) => {
    const lines = tokens.map((token) => `Authorization: Bearer ${token}\r\n`).join('');
    const [answer] = await sendRaw(
      service.server.opsUrl,
      `GET /admin/v1/keys HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n`,
      { answers: 1 },
    );
    expect(answer).toMatchObject({
      status: 401,
      body: { message: 'Authorization: expected once, got it several times.' },
    });
    expect(answer?.headers.get('WWW-Authenticate')).toBe(
      'Bearer realm="animal-store-admin", error="invalid_request"',
    );
  });

  test('is not accepted as an API key, and an API key is not accepted as an admin token', async () => {
    const { token } = await admin.create('{"plan":"free"}');
    expect((await admin.call('/keys', { token })).status).toBe(401);
    expect((await service.call('/pets', { token: adminToken })).status).toBe(401);
  });

  test('is accepted whatever the case of the scheme', async () => {
    const headers = { Authorization: `bEARER  ${adminToken}` };
    expect((await admin.call('/keys', { token: null, headers })).status).toBe(200);
  });

  test('is accepted in many requests at once', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => admin.call('/keys')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('is accepted in 25 pipelined requests', async () => {
    const bytes = `GET /admin/v1/keys HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${adminToken}\r\n\r\n`;
    const answers = await sendRaw(service.server.opsUrl, bytes.repeat(25), { answers: 25 });
    expect(answers.map(({ status }) => status)).toEqual(Array(25).fill(200));
  });
});

describe('wrong admin tokens', () => {
  test('get 429 after ten per minute, are neither all looked up nor all logged, and right ones still pass', async () => {
    const timings = { ops: { guessDelayMs: 20 } };
    await using service = await startService('postgres', { env, timings });
    const admin = adminOf(service.server);
    const json = '{"name":"Ann","role":"owner"}';
    const { token } = (await admin.call('/operators', { json })).body as IssuedOperator;
    expect((await admin.call('/keys', { token })).status).toBe(200);
    const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();

    // Guesses of the ADMIN_TOKEN and of an operator's token count together.
    const few = await Promise.all(
      Array.from({ length: 4 }, (_, n) => admin.call('/keys', { token: `${adminToken}${n}` })),
    );
    expect(statusesOf(few)).toEqual(Array(4).fill(401));
    const guesses = await Promise.all(
      Array.from({ length: 200 }, () => admin.call('/keys', { token: createToken('operator') })),
    );
    expect(statusesOf(guesses)).toEqual([...Array(6).fill(401), ...Array(194).fill(429)]);
    const late = await Promise.all(
      Array.from({ length: 2 }, (_, n) => admin.call('/keys', { token: `${adminToken}${n}` })),
    );
    // So do those that come from other loopback addresses.
    const others = await Promise.all(
      [2, 3, 4].map((host) =>
        guessFrom(service.server.opsUrl, `127.0.0.${host}`, `${adminToken}x`),
      ),
    );
    expect([...statusesOf(late), ...others]).toEqual(Array(5).fill(429));
    for (const refused of [late[0], guesses.find(({ status }) => status === 429)]) {
      expect(refused?.headers.get('Retry-After')).toMatch(/^([1-9]|[1-5]\d|60)$/);
      expect(refused?.body).toEqual({
        code: 'rate_limit_exceeded',
        message: expect.stringMatching(/^Too many wrong admin tokens .* Retry after \d+ s\.$/),
        status: 429,
      });
    }

    // A leaked key must be revocable during an attack.
    expect((await admin.call('/keys')).status).toBe(200);
    expect((await fetch(`${service.server.opsUrl}/livez`)).status).toBe(200);
    expect((await admin.call('/keys', { token })).status).toBe(200);
    const session = (await admin.call('/sessions', { method: 'POST' })).body as IssuedSession;
    expect((await admin.call('/keys', { token: session.token })).status).toBe(200);

    const lookUps =
      'animal_store_database_statement_duration_seconds_count{statement="find_operator_by_token"}';
    // Six, and two with the right one.
    expect(sample(await scrape(service.server), lookUps)).toBe(8);
    const linesOf = (msg: string) => logOf(service.server).filter((line) => line['msg'] === msg);
    await until(() => linesOf('ops requests without a line of their own').length > 0);
    const refusals = linesOf('ops request').filter(({ operator }) => operator === undefined);
    expect(refusals.length).toBeLessThan(100);
  });
});

/** Sends a token from one of this machine's loopback addresses, and gives the status. */
async function guessFrom(origin: string, localAddress: string, token: string): Promise<number> {
  const req = request(`${origin}/admin/v1/keys`, {
    localAddress,
    headers: { Authorization: `Bearer ${token}` },
  }).end();
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  res.resume();
  return res.statusCode ?? 0;
}
