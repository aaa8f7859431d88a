import { followStatements } from '@animal-store/postgres/internal';
import { systemClock } from '@animal-store/runtime';
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { createToken } from '../../src/keys/token.ts';
import { useAdmin } from '../support/admin.ts';
import { expectError, rateLimitOf } from '../support/expectations.ts';
import { rawRequest, sendRaw } from '../support/raw-http.ts';
import type { Answer } from '../support/send.ts';
import { startService } from '../support/test-service.ts';

const realm = 'Bearer realm="animal-store"';

const paths = [
  ['GET', '/pets'],
  ['POST', '/pets'],
  ['DELETE', '/pets'],
  ['GET', '/pets/%ff'],
  ['OPTIONS', '/nowhere'],
] as const;

/**
 * The expected responses to requests without a valid API key: the error message and the header
 * `WWW-Authenticate` (RFC 6750, §3).
 */
const refusals = {
  missing: { message: /^Send your API key as "Authorization: Bearer <API_KEY>"/, challenge: realm },
  invalid: { message: /./, challenge: `${realm}, error="invalid_token"` },
  otherScheme: { message: /^Authorization: expected the scheme Bearer\. Send/, challenge: realm },
  twice: {
    message: /^Authorization: expected one header, got several\.$/,
    challenge: `${realm}, error="invalid_request"`,
  },
};

function expectRefused(answer: Answer, why: keyof typeof refusals) {
  const { message, challenge } = refusals[why];
  expectError(answer, 401, 'unauthorized', message);
  expect(answer.headers.get('WWW-Authenticate')).toBe(challenge);
}

describe('API keys', () => {
  const { service, admin } = useAdmin();
  /** The tokens of expired, revoked or rotated API keys (`ended`), and of active keys (`good`). */
  const ended: string[] = [];
  const good: string[] = [];

  beforeAll(async () => {
    const { db } = service.database;
    for (const [list, change] of [
      [ended, sql`expires_at = now() - interval '1 s'`],
      [ended, sql`revoked_at = now()`],
      [good, sql`expires_at = now() + interval '1 hour'`],
    ] as const) {
      const { key, token } = await admin.create('{"plan":"free"}');
      await db.execute(sql`update api_keys set ${change} where id = ${key.id}`);
      list.push(token);
    }
    const { key, token } = await admin.create('{"plan":"free"}');
    const rotated = await admin.call(`/keys/${key.id}/rotate`, { json: '{"graceSeconds":0}' });
    ended.push(token);
    good.push((rotated.body as { token: string }).token, ...Object.values(service.tokens));
  });

  const callWith = (authorization: string) =>
    service.call('/pets', { token: null, headers: { Authorization: authorization } });

  test.each(paths)(
    'the service responds with 401 to %s %s without an API key and with an unknown API key',
    async (method, path) => {
      expectRefused(await service.call(path, { method, token: null }), 'missing');
      expectRefused(await service.call(path, { method, token: createToken() }), 'invalid');
    },
  );

  test('the service responds in the same way to every kind of invalid API key, and neither the response nor the log contains the key', async () => {
    const token = service.tokens.free;
    const answers = new Set<string>();
    for (const wrong of [
      createToken(),
      'sk_live_0123456789',
      `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`,
      token.toLowerCase(),
      'a'.repeat(8_000),
      ...ended,
    ]) {
      const answer = await service.call('/pets', { token: wrong });
      expectRefused(answer, 'invalid');
      const fields = [...answer.headers].filter(
        ([name]) => !/^(?:x-)?ratelimit|^x-request-id$|^date$/.test(name),
      );
      const said = JSON.stringify([answer.status, answer.text, fields]);
      answers.add(said);
      expect(said + service.server.output()).not.toContain(wrong);
    }
    expect(answers.size).toBe(1);
  });

  test('the service accepts a valid API key of any plan, and the word "Bearer" in any letter case', async () => {
    for (const token of good) expect((await callWith(`bEaReR   ${token}`)).status).toBe(200);
  });

  test.each<[why: keyof typeof refusals, header: string]>([
    ['missing', ''],
    ['invalid', 'Bearer'],
    ['invalid', 'Bearer "KEY"'],
    ['invalid', 'Bearer KEY, Bearer KEY'],
    ['invalid', 'Bearer\tKEY'],
    ['otherScheme', 'KEY'],
    ['otherScheme', 'BearerX KEY'],
  ])(
    'the service responds with the 401 error "%s" to the Authorization header "%s", and does not repeat the header',
    async (why, header) => {
      const token = service.tokens.enterprise;
      const answer = await callWith(header.replaceAll('KEY', token));
      expectRefused(answer, why);
      expect(answer.text + JSON.stringify([...answer.headers])).not.toContain(token);
    },
  );

  test('the service refuses a request with two Authorization headers, even if both API keys are valid', async () => {
    const header = `Authorization: Bearer ${service.tokens.enterprise}`;
    const headers = ['Host: a', header, header.replace('Authorization', 'AUTHORIZATION')];
    const line = 'GET /v1/pets HTTP/1.1';
    const [answer] = await sendRaw(service.server.origin, rawRequest({ line, headers }));
    expectRefused(answer as Answer, 'twice');
  });

  test('the service ignores an API key in the query, in another header or in the body, and does not read the body', async () => {
    const key = service.tokens.enterprise;
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    for (const [path, options] of [
      [`/pets?access_token=${key}`, {}],
      ['/pets', { headers: { 'X-API-Key': key, Cookie: `Authorization=Bearer ${key}` } }],
      ['/pets', { headers: { 'Proxy-Authorization': `Bearer ${key}` } }],
      ['/pets', { headers: form, json: `access_token=${key}` }],
      ['/pets', { json: '{"name":"Stray","categoryId":1}' }],
    ] as const) {
      expectRefused(await service.call(path, { token: null, ...options }), 'missing');
    }
    expect((await service.call('/pets')).text).toBe('[]');
  });
});

describe('requests without a valid API key', () => {
  test('the service allows an IP address 60 requests a minute, and then responds with 429', async () => {
    // Other tests replace the clock of the service. This test does not, because the library
    // rate-limiter-flexible, which counts the requests of networks, always uses the clock of the
    // machine.
    await using service = await startService('postgres', { clock: systemClock });
    const answers: Answer[] = [];
    for (let i = 0; i < 60; i += 1) {
      answers.push(await service.call('/pets', { token: i % 2 === 0 ? null : createToken() }));
    }
    const { reset } = rateLimitOf(answers[0] as Answer);
    expect(answers.map((answer) => [answer.status, rateLimitOf(answer)])).toEqual(
      answers.map((_, i) => [401, { limit: 60, remaining: 59 - i, reset }]),
    );

    // When the quota of the network is used up, a request with an invented API key also gets 429. A
    // request cannot avoid this with the header X-Forwarded-For.
    const headers = { 'X-Forwarded-For': '203.0.113.9', Forwarded: 'for=203.0.113.9' };
    for (const [method, path] of paths) {
      const token = method === 'GET' ? createToken() : null;
      const denied = await service.call(path, { method, token, headers });
      const used = /^The limit of 60 requests a minute is used up until /;
      expectError(denied, 429, 'rate_limit_exceeded', used);
      expect(rateLimitOf(denied)).toEqual({ limit: 60, remaining: 0, reset });
      expect(denied.headers.get('Retry-After')).toMatch(/^(?:[1-9]|[1-5]\d|60)$/);
      expect(denied.headers.get('RateLimit-Policy')).toBe('"minute";q=60;w=60');
    }
    // Two callers have the same IP address, and one of them has used up the quota of the address.
    // The caller with a valid API key is still served.
    expect((await service.call('/pets')).status).toBe(200);
  });

  // `client-network.test.ts` tests which addresses belong to one network.
  describe('behind one proxy (TRUST_PROXY=1)', () => {
    const { service, admin } = useAdmin('postgres', {
      api: { trustedProxies: 1 },
      quotas: { addressPerMinute: 2 },
    });
    const askFrom = (forwardedFor: string, options: object) =>
      service.call('/pets', { headers: { 'X-Forwarded-For': forwardedFor }, ...options });

    test('the service counts a request for the IP address that the proxy added to X-Forwarded-For, or for the proxy if this address is invalid', async () => {
      const own = ['1.1.1.1, 192.0.2.1', '2.2.2.2, 192.0.2.1', '3.3.3.3, 192.0.2.1', '192.0.2.2'];
      const addresses = [...own, 'unknown', '"; drop', '999.1.1.1'];
      const statuses: number[] = [];
      for (const it of addresses) statuses.push((await askFrom(it, { token: null })).status);
      expect(statuses).toEqual([401, 401, 429, 401, 401, 401, 429]);
    });

    // Regression: each invented token with a valid checksum caused a database query, even if its
    // network had no quota left. The limit of lookups does not affect API keys in the cache, even
    // if a key has changed.
    test('the service looks up at most ten unknown tokens of a network in the database when the network has used up its quota', async () => {
      const { key, token } = await admin.create('{"plan":"free"}');
      expect((await askFrom('192.0.2.31', { token })).status).toBe(200);
      const lookUps: string[] = [];
      const stopFollowing = followStatements((name) => lookUps.push(name));
      for (const status of [401, 401, ...Array(12).fill(429)])
        expect((await askFrom('192.0.2.30', { token: createToken() })).status).toBe(status);
      stopFollowing();
      expect(lookUps.filter((name) => name === 'find_key_by_token')).toHaveLength(2 + 10);
      await admin.call(`/keys/${key.id}/rotate`, { method: 'POST' });
      expect((await askFrom('192.0.2.30', { token })).status).toBe(200);
    });
  });
});
