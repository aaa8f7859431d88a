import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { followStatements } from '../../src/database/statement.ts';
import { createApiKey } from '../../src/keys/key-management.ts';
import { createToken, hashToken } from '../../src/keys/token.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { useAdmin } from '../support/admin.ts';
import { expectError, rateLimitOf } from '../support/expectations.ts';
import { listAll } from '../support/list-all-pets.ts';
import { requestLine } from '../support/observed.ts';
import { rawRequest, sendRaw } from '../support/raw-http.ts';
import type { Answer } from '../support/send.ts';
import { startService } from '../support/test-service.ts';

const realm = 'Bearer realm="animal-store"';

const paths = [
  ['GET', '/pets'],
  ['POST', '/pets'],
  ['DELETE', '/pets'],
  ['GET', '/pets/no-number'],
  ['GET', '/store/orders'],
  ['GET', ''],
  ['OPTIONS', '/nowhere'],
] as const;

/** What a request is told that has no valid key, and the challenge of it (RFC 6750, §3). */
const refusals = {
  missing: { message: /^Send your API key as "Authorization: Bearer <API_KEY>"/, challenge: realm },
  invalid: { message: /./, challenge: `${realm}, error="invalid_token"` },
  otherScheme: { message: /^Authorization: expected the scheme Bearer\. Send/, challenge: realm },
  twice: {
    message: /^Authorization: expected once, got it several times\.$/,
    challenge: `${realm}, error="invalid_request"`,
  },
};

function expectRefused(answer: Answer, why: keyof typeof refusals) {
  const { message, challenge } = refusals[why];
  expectError(answer, 401, 'unauthorized', message);
  expect(answer.headers.get('WWW-Authenticate')).toBe(challenge);
}

describe('authentication', () => {
  const tokens: Record<string, string> = {};

  const { service } = useAdmin('postgres', {
    async prepare(db) {
      for (const [name, change] of [
        ['expired', sql`update api_keys set expires_at = now() - interval '1 s'`],
        ['revoked', sql`update api_keys set revoked_at = now()`],
        ['expiring', sql`update api_keys set expires_at = now() + interval '1 hour'`],
        ['rotated', sql`update api_tokens set expires_at = now() - interval '1 s'`],
      ] as const) {
        const { id, token } = await createApiKey(db, { name, plan: 'free' });
        tokens[name] = token;
        await db.execute(
          sql`${change} where ${sql.raw(name === 'rotated' ? 'key_id' : 'id')} = ${id}`,
        );
        if (name !== 'rotated') continue;
        tokens['newest'] = createToken();
        await db.execute(sql`insert into api_tokens (hash, key_id, prefix)
          values (${hashToken(tokens['newest'])}, ${id}, 'ast_')`);
      }
    },
  });

  const callWith = (authorization: string) =>
    service.call('/pets', { token: null, headers: { Authorization: authorization } });

  test.each(paths)('%s %s needs a key', async (method, path) => {
    expectRefused(await service.call(path, { method, token: null }), 'missing');
    expectRefused(await service.call(path, { method, token: createToken() }), 'invalid');
  });

  test('HEAD is answered with 401 and no body', async () => {
    const answer = await service.call('/pets', { method: 'HEAD', token: null });
    expect([answer.status, answer.headers.get('WWW-Authenticate'), answer.text]).toEqual([
      ...[401, realm, ''],
    ]);
  });

  test('without a key nothing is created, and the body is not looked at', async () => {
    const before = await listAll(service.server, service.tokens.enterprise);
    for (const json of ['{"name":"Stray","categoryId":1}', '{']) {
      expectRefused(await service.call('/pets', { json, token: null }), 'missing');
    }
    expect(await listAll(service.server, service.tokens.enterprise)).toEqual(before);
  });

  test('whatever is wrong with a key, the answer is the same, and nobody writes the key down', async () => {
    const good = service.tokens.free;
    const answers = new Set<string>();
    for (const token of [
      createToken(),
      'ast_short',
      'sk_live_0123456789',
      `${good.slice(0, -1)}${good.endsWith('0') ? '1' : '0'}`,
      good.toLowerCase(),
      `${good}0`,
      'a'.repeat(8_000),
      tokens['expired'] ?? '',
      tokens['revoked'] ?? '',
      tokens['rotated'] ?? '',
    ]) {
      const answer = await service.call('/pets', { token });
      expectRefused(answer, 'invalid');
      const fields = [...answer.headers].filter(
        ([name]) => !/^(?:x-)?ratelimit|^x-request-id$|^date$/.test(name),
      );
      const said = JSON.stringify([answer.status, answer.text, fields]);
      answers.add(said);
      expect(said + service.server.output()).not.toContain(token);
    }
    expect(answers.size).toBe(1);
  });

  test.each<[header: string, (token: string) => string]>([
    ['any case of the scheme', (token) => `bEaReR ${token}`],
    ['several spaces', (token) => `Bearer   ${token}`],
  ])('the header Authorization may have %s', async (_what, header) => {
    expect((await callWith(header(service.tokens.enterprise))).status).toBe(200);
  });

  test.each<[why: keyof typeof refusals, what: string, (token: string) => string]>([
    ['missing', 'nothing', () => ''],
    ['invalid', 'the scheme alone', () => 'Bearer'],
    ['invalid', 'the scheme and a space', () => 'Bearer '],
    ['invalid', 'quotes', (token) => `Bearer "${token}"`],
    ['invalid', 'two keys', (token) => `Bearer ${token} ${token}`],
    ['invalid', 'two keys and a comma', (token) => `Bearer ${token}, Bearer ${token}`],
    ['invalid', 'a tab', (token) => `Bearer\t${token}`],
    ['invalid', 'a parameter', (token) => `Bearer token=${token}`],
    ['otherScheme', 'no scheme', (token) => token],
    ['otherScheme', 'another scheme', (token) => `Basic ${token}`],
    ['otherScheme', 'a scheme that begins alike', (token) => `BearerX ${token}`],
    ['otherScheme', 'no space', (token) => `Bearer${token}`],
    ['otherScheme', 'a colon', (token) => `Bearer: ${token}`],
  ])('it is %s with %s, and what was sent is not repeated', async (why, _what, header) => {
    const token = service.tokens.enterprise;
    const answer = await callWith(header(token));
    expectRefused(answer, why);
    expect(answer.text + JSON.stringify([...answer.headers])).not.toContain(token);
  });

  test('it is refused twice, also if one or both are good', async () => {
    const good = service.tokens.enterprise;
    for (const keys of [
      [good, createToken()],
      [createToken(), good],
      [good, good],
    ]) {
      const [first, second] = keys.map((key) => `Bearer ${key}`);
      const headers = ['Host: a', `Authorization: ${first}`, `AUTHORIZATION: ${second}`];
      const line = 'GET /v1/pets HTTP/1.1';
      const [answer] = await sendRaw(service.server.origin, rawRequest({ line, headers }));
      expectRefused(answer as Answer, 'twice');
    }
  });

  test('a key in the query, in another header or in the body is none', async () => {
    const key = service.tokens.enterprise;
    for (const name of ['api_key', 'token', 'access_token', 'Authorization']) {
      expectRefused(await service.call(`/pets?${name}=${key}`, { token: null }), 'missing');
    }
    for (const name of ['X-API-Key', 'Cookie', 'Proxy-Authorization']) {
      const headers = { [name]: `Bearer ${key}` };
      expectRefused(await service.call('/pets', { token: null, headers }), 'missing');
    }
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const body = { token: null, headers, json: `access_token=${key}` };
    expectRefused(await service.call('/pets', body), 'missing');
  });

  test('a key of any plan is good, until it expires, with its new token after a rotation', async () => {
    const good = [...Object.values(service.tokens), tokens['expiring'], tokens['newest']];
    for (const token of good) {
      expect((await service.call('/pets', { token: token ?? '' })).status).toBe(200);
    }
  });
});

describe('the quota of an address', () => {
  test('is 60 a minute, for missing and invalid keys together, and then 429', async () => {
    // rate-limiter-flexible has the clock of the machine.
    await using service = await startService('postgres', { clock: systemClock });
    const answers: Answer[] = [];
    for (let i = 0; i < 60; i += 1) {
      answers.push(await service.call('/pets', { token: i % 2 === 0 ? null : createToken() }));
    }
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
    expect(answers.map((answer) => rateLimitOf(answer).remaining)).toEqual(
      answers.map((_, i) => 59 - i),
    );
    const [reset, ...others] = new Set(answers.map((answer) => rateLimitOf(answer).reset));
    expect(others).toEqual([]);

    // Guessing stops, and X-Forwarded-For is nobody's way around it.
    const headers = { 'X-Forwarded-For': '203.0.113.9', Forwarded: 'for=203.0.113.9' };
    for (const [method, path] of paths) {
      for (const token of [null, createToken()]) {
        const denied = await service.call(path, { method, token, headers });
        expectError(
          denied,
          429,
          'rate_limit_exceeded',
          /^The limit of 60 requests a minute is used up until /,
        );
        expect(rateLimitOf(denied)).toEqual({ limit: 60, remaining: 0, reset });
        expect(denied.headers.get('Retry-After')).toMatch(/^(?:[1-9]|[1-5]\d|60)$/);
        expect(denied.headers.get('RateLimit-Policy')).toBe('"minute";q=60;w=60');
      }
    }
    // Who has a key is not affected by a neighbour who has none.
    for (const token of Object.values(service.tokens)) {
      expect((await service.call('/pets', { token })).status).toBe(200);
    }
  });

  // What is one network is in client-network.test.ts.
  describe('behind one proxy (TRUST_PROXY=1)', () => {
    const { service, admin } = useAdmin('postgres', {
      env: { TRUST_PROXY: '1', ADDRESS_PER_MINUTE: '2' },
    });
    const from = async (forwardedFor: string) => {
      const headers = { 'X-Forwarded-For': forwardedFor };
      return (await service.call('/pets', { token: null, headers })).status;
    };

    test.each([
      ['each address', ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2'], [401, 401, 429, 401]],
      [
        'what the nearest proxy added',
        ['1.1.1.1, 192.0.2.10', '2.2.2.2, 192.0.2.10', '3.3.3.3, 192.0.2.10'],
        [401, 401, 429],
      ],
      ['what is no address as the proxy', ['unknown', '"; drop', '999.1.1.1'], [401, 401, 429]],
    ])('counts %s', async (_what, addresses, statuses) => {
      const answered: number[] = [];
      for (const address of addresses) answered.push(await from(address));
      expect(answered).toEqual(statuses);
    });

    // Regression: each token with a valid checksum cost a query, even if its network had no quota left.
    test('looks up ten made-up tokens of a network that has used it up, and no more', async () => {
      const lookUps: string[] = [];
      const stopFollowing = followStatements((name) => lookUps.push(name));
      const statuses: number[] = [];
      for (let n = 0; n < 20; n += 1) {
        const headers = { 'X-Forwarded-For': '192.0.2.30' };
        statuses.push((await service.call('/pets', { token: createToken(), headers })).status);
      }
      stopFollowing();
      expect(statuses).toEqual([401, 401, ...Array(18).fill(429)]);
      expect(lookUps.filter((name) => name === 'find_key_by_token')).toHaveLength(2 + 10);
    });

    test('counts a suspended key, while other keys there are not, and the log names it', async () => {
      const { key, token } = await admin.create('{"plan":"free","name":"suspended"}');
      await admin.call(`/keys/${key.id}/suspend`, { method: 'POST' });
      const network = { 'X-Forwarded-For': '192.0.2.40' };
      const codes: unknown[] = [];
      for (let n = 0; n < 3; n += 1) {
        const headers = { ...network, 'X-Request-Id': `suspended-${n}` };
        const { body } = await service.call('/pets', { token, headers });
        codes.push((body as { code: string }).code);
      }
      expect(codes).toEqual(['key_suspended', 'key_suspended', 'rate_limit_exceeded']);
      expect((await service.call('/pets', { headers: network })).status).toBe(200);
      expect(await requestLine(service.server, 'suspended-0')).toMatchObject({
        ...{ status: 403, errorCode: 'key_suspended', quota: 'admitted' },
        ...{ keyId: key.id, plan: 'free' },
      });
    });
  });
});
