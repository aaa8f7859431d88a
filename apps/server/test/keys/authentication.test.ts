import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { apiKeys, apiTokens } from '../../src/database/schema.ts';
import { createApiKey } from '../../src/keys/key-management.ts';
import { createToken, hashToken } from '../../src/keys/token.ts';
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
  ['GET', '/pets/1'],
  ['GET', '/pets/no-number'],
  ['GET', '/store/orders'],
  ['GET', '/nowhere'],
  ['GET', ''],
  ['OPTIONS', '/nowhere'],
] as const;

function expectMissing(answer: Answer) {
  expectError(answer, 401, 'unauthorized', /Authorization: Bearer/);
  expect(answer.headers.get('WWW-Authenticate')).toBe(realm);
}

function expectInvalid(answer: Answer) {
  expectError(answer, 401, 'unauthorized');
  expect(answer.headers.get('WWW-Authenticate')).toBe(`${realm}, error="invalid_token"`);
}

describe('authentication', () => {
  const tokens = {
    expired: '',
    expiredToken: '',
    rotated: '',
    revoked: '',
    expiring: '',
  };

  const { service } = useAdmin('postgres', {
    async prepare(db) {
      const create = async (name: string) => {
        const { id, token } = await createApiKey(db, { name, plan: 'free' });
        return { id: sql`${id}::uuid`, token };
      };
      const expired = await create('expired');
      tokens.expired = expired.token;
      await db
        .update(apiKeys)
        .set({ expiresAt: new Date(Date.now() - 1_000).toISOString() })
        .where(sql`${apiKeys.id} = ${expired.id}`);

      const rotated = await create('rotated');
      tokens.expiredToken = rotated.token;
      await db
        .update(apiTokens)
        .set({ expiresAt: new Date(Date.now() - 1_000).toISOString() })
        .where(sql`${apiTokens.holderId} = ${rotated.id}`);
      tokens.rotated = createToken();
      await db.execute(sql`insert into api_tokens (hash, key_id, prefix)
        values (${hashToken(tokens.rotated)}, ${rotated.id}, 'ast_')`);

      const revoked = await create('revoked');
      tokens.revoked = revoked.token;
      await db
        .update(apiKeys)
        .set({ revokedAt: new Date().toISOString() })
        .where(sql`${apiKeys.id} = ${revoked.id}`);

      const expiring = await create('expiring');
      tokens.expiring = expiring.token;
      await db
        .update(apiKeys)
        .set({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() })
        .where(sql`${apiKeys.id} = ${expiring.id}`);
    },
  });

  const callWith = (authorization: string, path = '/pets') =>
    service.call(path, { token: null, headers: { Authorization: authorization } });

  describe('without a key', () => {
    test.each(paths)('%s %s is answered with 401', async (method, path) => {
      expectMissing(await service.call(path, { method, token: null }));
    });

    test('a creation creates nothing', async () => {
      const json = '{"name":"Stray","categoryId":1}';
      const before = await listAll(service.server, service.tokens.enterprise);
      expectMissing(await service.call('/pets', { json, token: null }));
      expect(await listAll(service.server, service.tokens.enterprise)).toEqual(before);
    });

    test('HEAD is answered with 401 and no body', async () => {
      const answer = await service.call('/pets', { method: 'HEAD', token: null });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('WWW-Authenticate')).toBe(realm);
      expect(answer.text).toBe('');
    });

    test('a body is not looked at, however wrong it is', async () => {
      expectMissing(await service.call('/pets', { json: '{', token: null }));
    });
  });

  describe('an invalid key', () => {
    const cases = (): [string, string][] => [
      ['unknown', createToken()],
      ['malformed', 'ast_short'],
      ['of another kind', 'sk_live_0123456789'],
      ['with a wrong checksum', `${service.tokens.free.slice(0, -1)}${flip(service.tokens.free)}`],
      ['of wrong case', service.tokens.free.toLowerCase()],
      ['too long', `${service.tokens.free}0`],
      ['huge', 'a'.repeat(8_000)],
      ['expired', tokens.expired],
      ['an expired token of a good key', tokens.expiredToken],
      ['revoked', tokens.revoked],
    ];

    test('is answered with 401 and invalid_token, whatever is wrong with it', async () => {
      for (const [, token] of cases()) expectInvalid(await service.call('/pets', { token }));
    });

    test('does not tell what is wrong with it', async () => {
      const seen = new Set<string>();
      for (const [, token] of cases()) {
        const { status, text, headers } = await service.call('/pets', { token });
        const fields = [...headers].filter(
          ([name]) => !/^(?:x-)?ratelimit|^x-request-id$|^date$/.test(name),
        );
        seen.add(JSON.stringify([status, text, fields]));
      }
      expect(seen.size).toBe(1);
    });

    test('is never repeated in the answer', async () => {
      const token = createToken();
      const { text, headers } = await service.call('/pets', { token });
      expect(text + JSON.stringify([...headers])).not.toContain(token);
    });

    test('is nothing that the server writes down', async () => {
      for (const [, token] of cases()) {
        await service.call('/pets', { token });
        expect(service.server.output()).not.toContain(token);
      }
    });

    test.each(paths)('is refused for %s %s', async (method, path) => {
      expectInvalid(await service.call(path, { method, token: createToken() }));
    });
  });

  describe('the Authorization header', () => {
    // In any case, as HTTP has it.
    const names = ['Authorization', 'AUTHORIZATION'];

    test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])(
      'may call its scheme %s',
      async (scheme) => {
        expect((await callWith(`${scheme} ${service.tokens.enterprise}`)).status).toBe(200);
      },
    );

    test('may have several spaces after the scheme', async () => {
      expect((await callWith(`Bearer   ${service.tokens.enterprise}`)).status).toBe(200);
    });

    test.each([
      ['the scheme alone', () => 'Bearer'],
      ['the scheme and a space', () => 'Bearer '],
      ['quotes', (token: string) => `Bearer "${token}"`],
      ['two keys', (token: string) => `Bearer ${token} ${token}`],
      ['two keys and a comma', (token: string) => `Bearer ${token}, Bearer ${token}`],
      ['a tab', (token: string) => `Bearer\t${token}`],
      ['a parameter', (token: string) => `Bearer token=${token}`],
    ])('with %s is refused', async (_what, authorization) => {
      expectInvalid(await callWith(authorization(service.tokens.enterprise)));
    });

    test.each([
      ['no scheme', (token: string) => token],
      ['another scheme', (token: string) => `Basic ${token}`],
      ['another scheme that begins alike', (token: string) => `BearerX ${token}`],
      ['no space', (token: string) => `Bearer${token}`],
      ['a colon', (token: string) => `Bearer: ${token}`],
    ])('with %s gets the scheme to use, and not what it sent', async (_what, authorization) => {
      const token = service.tokens.enterprise;
      const answer = await callWith(authorization(token));
      expectError(
        answer,
        401,
        'unauthorized',
        /^Authorization: expected the scheme Bearer\. Send your API key as "Authorization: Bearer <API_KEY>"\.$/,
      );
      // RFC 6750, §3.1: no error code for another scheme.
      expect(answer.headers.get('WWW-Authenticate')).toBe(realm);
      expect(answer.text + JSON.stringify([...answer.headers])).not.toContain(token);
    });

    test('that is empty is a missing one', async () => {
      expectMissing(await callWith(''));
    });

    test.each([
      ['a good key first', () => [service.tokens.enterprise, createToken()]],
      ['a good key second', () => [createToken(), service.tokens.enterprise]],
      ['the same good key', () => [service.tokens.enterprise, service.tokens.enterprise]],
    ])('given twice, with %s, is refused', async (_what, keys) => {
      const [answer] = await sendRaw(
        service.server.origin,
        rawRequest({
          line: 'GET /v1/pets HTTP/1.1',
          headers: ['Host: a', ...keys().map((key, i) => `${names[i]}: Bearer ${key}`)],
        }),
      );
      if (answer === undefined) throw new Error('No answer came.');
      expectError(
        answer,
        401,
        'unauthorized',
        /^Authorization: expected once, got it several times\.$/,
      );
      expect(answer.headers.get('WWW-Authenticate')).toBe(`${realm}, error="invalid_request"`);
    });
  });

  describe('a key', () => {
    test.each(['api_key', 'apikey', 'key', 'token', 'access_token', 'Authorization'])(
      'in the query, as %s, is not one',
      async (name) => {
        const path = `/pets?${name}=${service.tokens.enterprise}`;
        expectMissing(await service.call(path, { token: null }));
      },
    );

    test.each(['X-API-Key', 'Api-Key', 'Cookie', 'Proxy-Authorization'])(
      'in the header %s is not one',
      async (name) => {
        const headers = { [name]: `Bearer ${service.tokens.enterprise}` };
        expectMissing(await service.call('/pets', { token: null, headers }));
      },
    );

    test('in the body is not one', async () => {
      expectMissing(
        await service.call('/pets', {
          token: null,
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          json: `access_token=${service.tokens.enterprise}`,
        }),
      );
    });

    test('that has not expired yet is good', async () => {
      expect((await service.call('/pets', { token: tokens.expiring })).status).toBe(200);
    });

    test('is good with its new token, where the old one has expired', async () => {
      expect((await service.call('/pets', { token: tokens.rotated })).status).toBe(200);
    });

    test('of any plan is good', async () => {
      for (const token of Object.values(service.tokens)) {
        expect((await service.call('/pets', { token })).status).toBe(200);
      }
    });
  });
});

describe('the quota of an address', () => {
  test('is 60 a minute, for missing and invalid keys together, and then 429', async () => {
    await using service = await startService('postgres');
    const answers: Answer[] = [];
    for (let i = 0; i < 60; i += 1) {
      answers.push(await service.call('/pets', { token: i % 2 === 0 ? null : createToken() }));
    }
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
    expect(answers.map((answer) => rateLimitOf(answer).remaining)).toEqual(
      answers.map((_, i) => 59 - i),
    );
    const resets = new Set(answers.map((answer) => rateLimitOf(answer).reset));
    expect(resets.size).toBe(1);

    for (const [method, path] of paths) {
      const denied = await service.call(path, { method, token: null });
      expectError(
        denied,
        429,
        'rate_limit_exceeded',
        /^The limit of 60 requests a minute is used up until /,
      );
      expect(rateLimitOf(denied)).toEqual({ limit: 60, remaining: 0, reset: [...resets][0] });
      expect(denied.headers.get('Retry-After')).toMatch(/^(?:[1-9]|[1-5]\d|60)$/);
      expect(denied.headers.get('RateLimit-Policy')).toBe('"minute";q=60;w=60');
    }

    // Guessing stops, and X-Forwarded-For is nobody's way around it.
    expectError(await service.call('/pets', { token: createToken() }), 429, 'rate_limit_exceeded');
    const headers = { 'X-Forwarded-For': '203.0.113.9', Forwarded: 'for=203.0.113.9' };
    expectError(await service.call('/pets', { token: null, headers }), 429, 'rate_limit_exceeded');

    // Who has a key is not affected by a neighbour who has none.
    for (const token of Object.values(service.tokens)) {
      expect((await service.call('/pets', { token })).status).toBe(200);
    }
  });

  describe('behind one proxy (TRUST_PROXY=1)', () => {
    const { service, admin } = useAdmin('postgres', {
      env: { TRUST_PROXY: '1', ADDRESS_PER_MINUTE: '2' },
    });

    const from = (forwardedFor: string) =>
      service.call('/pets', { token: null, headers: { 'X-Forwarded-For': forwardedFor } });
    const statusesFrom = async (addresses: readonly string[]) => {
      const statuses: number[] = [];
      for (const address of addresses) statuses.push((await from(address)).status);
      return statuses;
    };

    test('counts each forwarded address by itself', async () => {
      expect(await statusesFrom(['192.0.2.1', '192.0.2.1', '192.0.2.1'])).toEqual([401, 401, 429]);
      expect(await statusesFrom(['192.0.2.2'])).toEqual([401]);
    });

    test('admits exactly the limit of 200 at once', async () => {
      const answers = await Promise.all(Array.from({ length: 200 }, () => from('192.0.2.30')));
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(2);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(198);
    });

    test('believes only what the nearest proxy added', async () => {
      expect(
        await statusesFrom(['1.1.1.1, 192.0.2.10', '2.2.2.2, 192.0.2.10', '3.3.3.3, 192.0.2.10']),
      ).toEqual([401, 401, 429]);
    });

    test('counts an IPv6 address by its /56', async () => {
      expect(
        await statusesFrom(['2001:db8:0:1::1', '2001:db8:0:1:ffff::2', '2001:db8:0:ff::3']),
      ).toEqual([401, 401, 429]);
      expect(await statusesFrom(['2001:db8:0:100::1'])).toEqual([401]);
    });

    test('counts an IPv4 address that is mapped into IPv6 as that IPv4 address', async () => {
      expect(await statusesFrom(['192.0.2.20', '::ffff:192.0.2.20', '::ffff:c000:214'])).toEqual([
        401, 401, 429,
      ]);
    });

    test('counts addresses that are none as the proxy itself', async () => {
      expect(await statusesFrom(['unknown', '"; drop', '999.1.1.1'])).toEqual([401, 401, 429]);
    });

    test('counts a suspended key, while other keys there are not, and the log names it', async () => {
      const { key, token } = await admin.create('{"plan":"free"}');
      await admin.call(`/keys/${key.id}/suspend`, { method: 'POST' });
      const network = { 'X-Forwarded-For': '192.0.2.40' };
      const codes: string[] = [];
      for (let n = 0; n < 3; n += 1) {
        const headers = { ...network, 'X-Request-Id': `suspended-${n}` };
        const { body } = await service.call('/pets', { token, headers });
        codes.push((body as { code: string }).code);
      }
      expect(codes).toEqual(['key_suspended', 'key_suspended', 'rate_limit_exceeded']);
      expect((await service.call('/pets', { headers: network })).status).toBe(200);
      expect(await requestLine(service.server, 'suspended-0')).toMatchObject({
        status: 403,
        errorCode: 'key_suspended',
        keyId: key.id,
        plan: 'free',
        quota: 'admitted',
      });
    });
  });
});

/** Another last character than a token has. */
function flip(token: string): string {
  return token.endsWith('0') ? '1' : '0';
}
