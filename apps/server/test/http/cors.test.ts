import { describe, expect, test } from 'vitest';
import { useServiceWithDeniedKey } from '../support/denied-key.ts';
import { expectError, expectResponseHeaders } from '../support/expectations.ts';
import { type CallOptions, useService } from '../support/test-service.ts';

const rex = '{"name":"Rex","categoryId":1}';
const origin = 'https://shop.example';

const denied = useServiceWithDeniedKey();
const { service } = denied;

describe('CORS', () => {
  const exposed = [
    'deprecation',
    'idempotent-replayed',
    'link',
    'location',
    'ratelimit',
    'ratelimit-policy',
    'retry-after',
    'sunset',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    'x-request-id',
  ];
  const list = (field: string | null) =>
    (field ?? '')
      .toLowerCase()
      .split(/\s*,\s*/)
      .sort();
  const preflight = (path: string, method = 'POST') =>
    service.call(path, {
      method: 'OPTIONS',
      token: null,
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
      },
    });

  test.each<[string, string, CallOptions]>([
    ['200', '/pets', {}],
    ['201', '/pets', { json: rex }],
    ['400', '/pets?limit=0', {}],
    ['401', '/pets', { token: null }],
    ['404', '/pets/9223372036854775807', {}],
    ['405', '/pets', { method: 'DELETE' }],
    ['413', '/pets', { json: ' '.repeat(20_000) }],
  ])('a page of any origin may read a %s and its headers', async (status, path, options) => {
    const answer = await service.call(path, {
      ...options,
      headers: { ...options.headers, Origin: origin },
    });
    expect(answer.status).toBe(Number(status));
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(list(answer.headers.get('Access-Control-Expose-Headers'))).toEqual(exposed);
    expect(answer.headers.has('Access-Control-Allow-Credentials')).toBe(false);
  });

  test('a page of any origin may read a 429 and its Retry-After', async () => {
    const answer = await service.call('/pets', {
      token: denied.deniedToken,
      headers: { Origin: origin },
    });
    expectError(answer, 429, 'rate_limit_exceeded');
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(list(answer.headers.get('Access-Control-Expose-Headers'))).toEqual(exposed);
  });

  test.each(['/pets', '/pets/1', '/store/orders', '/nowhere'])(
    'the preflight of %s is answered without a key',
    async (path) => {
      const answer = await preflight(path);
      expect(answer.status).toBe(204);
      expect(answer.text).toBe('');
      expectResponseHeaders(answer);
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(list(answer.headers.get('Access-Control-Allow-Methods'))).toEqual(
        expect.arrayContaining(['get', 'head', 'post']),
      );
      expect(list(answer.headers.get('Access-Control-Allow-Headers'))).toEqual(
        expect.arrayContaining(['authorization', 'content-type', 'idempotency-key']),
      );
      expect(answer.headers.get('Access-Control-Max-Age')).toMatch(/^[1-9]\d*$/);
    },
  );

  test.each([
    ['without an Origin', { 'Access-Control-Request-Method': 'GET' }],
    ['without a method asked for', { Origin: origin }],
  ])('OPTIONS %s is not a preflight, and tells the methods', async (_what, headers) => {
    const answer = await service.call('/pets', { method: 'OPTIONS', token: null, headers });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers.get('Allow')).toBe('GET, POST, HEAD');
    expect(answer.headers.has('Access-Control-Allow-Methods')).toBe(false);
    expectResponseHeaders(answer);
  });

  describe('of certain origins (CORS_ORIGINS)', () => {
    const narrow = useService('postgres', {
      env: { CORS_ORIGINS: `${origin},https://other.example` },
    });

    test.each([origin, 'https://other.example'])('allows %s', async (allowed) => {
      const { headers } = await narrow.call('/pets', { headers: { Origin: allowed } });
      expect(headers.get('Access-Control-Allow-Origin')).toBe(allowed);
      expect(list(headers.get('Vary'))).toContain('origin');
    });

    test.each(['https://evil.example', `${origin}.evil.example`, 'http://shop.example', 'null'])(
      'does not allow %s',
      async (refused) => {
        const { headers, status } = await narrow.call('/pets', { headers: { Origin: refused } });
        expect(status).toBe(200);
        expect(headers.has('Access-Control-Allow-Origin')).toBe(false);
        expect(list(headers.get('Vary'))).toContain('origin');
      },
    );

    test('does not allow the preflight of another origin', async () => {
      const answer = await narrow.call('/pets', {
        method: 'OPTIONS',
        token: null,
        headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
      });
      expectResponseHeaders(answer);
      expect(answer.headers.has('Access-Control-Allow-Origin')).toBe(false);
      expect(answer.headers.has('Access-Control-Allow-Methods')).toBe(false);
    });
  });
});
