import type { IssuedOperator, IssuedSession } from '@animal-store/contract/admin';
import { until } from '@animal-store/testkit';
import { describe, expect, test } from 'vitest';
import { createToken } from '../../src/keys/token.ts';
import { adminOf, adminToken, useAdmin } from '../support/admin.ts';
import { logOf } from '../support/observed.ts';
import { sendRaw } from '../support/raw-http.ts';
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
  test('get 429 after ten per minute, and right ones still pass', async () => {
    const timings = { ops: { guessDelayMs: 20 } };
    await using service = await startService('postgres', { env, timings });
    const admin = adminOf(service.server);
    const statusesOf = async (tokens: readonly string[]) => {
      const answers = await Promise.all(tokens.map((token) => admin.call('/keys', { token })));
      return answers.map(({ status }) => status).sort();
    };
    const inventedTokens = (count: number) =>
      Array.from({ length: count }, (_, n) => createToken(n % 2 ? 'operator' : 'session'));
    const createAnn = async () =>
      (await admin.call('/operators', { json: '{"name":"Ann","role":"owner"}' }))
        .body as IssuedOperator;
    const [ann, unseen, revoked] = [await createAnn(), await createAnn(), await createAnn()];
    // Right tokens cost nothing.
    expect(await statusesOf(Array(20).fill(ann.token))).toEqual(Array(20).fill(200));
    expect(await statusesOf([revoked.token])).toEqual([200]);

    // All kinds of guesses count together.
    expect(await statusesOf([1, 2, 3, 4].map((n) => `${adminToken}${n}`))).toEqual(
      Array(4).fill(401),
    );
    expect(await statusesOf(inventedTokens(100))).toEqual([
      ...Array(6).fill(401),
      ...Array(94).fill(429),
    ]);
    const refused = await admin.call('/keys', { token: `${adminToken}x` });
    expect(refused.headers.get('Retry-After')).toMatch(/^([1-9]|[1-5]\d|60)$/);
    expect(refused.body).toEqual({
      code: 'rate_limit_exceeded',
      message: expect.stringMatching(/^Too many wrong admin tokens .* Retry after \d+ s\.$/),
      status: 429,
    });

    // A leaked key must be revocable during an attack.
    const session = (await admin.call('/sessions', { method: 'POST' })).body as IssuedSession;
    const valid = [adminToken, ann.token, unseen.token, session.token];
    expect(await statusesOf(valid)).toEqual(Array(4).fill(200));
    expect((await fetch(`${service.server.opsUrl}/livez`)).status).toBe(200);
    // Nobody guessed a token that was valid before: who sends it learns that it no longer is.
    await admin.call(`/operators/${revoked.operator.id}/revoke`, { method: 'POST' });
    expect(await statusesOf([revoked.token])).toEqual([401]);
    expect(await statusesOf([revoked.token])).toEqual([429]);

    const linesOf = (msg: string) => logOf(service.server).filter((line) => line['msg'] === msg);
    await until(() => linesOf('ops requests without a line of their own').length > 0);
    const refusals = linesOf('ops request').filter(({ operator }) => operator === undefined);
    expect(refusals.length).toBeLessThan(50);
  });
});
