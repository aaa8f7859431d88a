import { describe, expect, test } from 'vitest';
import { useServiceWithDeniedKey } from '../support/denied-key.ts';
import { expectError } from '../support/expectations.ts';
import type { Answer } from '../support/send.ts';
import type { CallOptions } from '../support/test-service.ts';

const rex = '{"name":"Rex","categoryId":1}';

const denied = useServiceWithDeniedKey();
const { service } = denied;

describe('deprecation', () => {
  const expectDeprecated = ({ headers }: Answer) => {
    expect(headers.get('Deprecation')).toMatch(/^@\d{10}$/);
    expect(headers.get('Sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
    const link = headers.get('Link') ?? '';
    expect(link).toMatch(/<https?:\/\/[^>]+>; rel="deprecation"/);
    const { port } = new URL(service.server.origin);
    expect(link).toContain(`<http://localhost:${port}/v1/pets>; rel="successor-version"`);
  };

  test.each<[string, string, CallOptions]>([
    ['200', '/pets/1', {}],
    ['200 to HEAD', '/pets/1', { method: 'HEAD' }],
    ['200 with a query', '/pets/1?x=y', {}],
    ['400', '/pets/x', {}],
    ['400 of percent-encoding', '/pets/%ff', {}],
    ['401 without a key', '/pets/1', { token: null }],
    ['401 with a wrong key', '/pets/1', { token: 'wrong' }],
    ['404', '/pets/999', {}],
  ])('is announced on a %s of GET /pets/{petId}', async (status, path, options) => {
    const answer = await service.call(path, options);
    expect(answer.status).toBe(Number.parseInt(status, 10));
    expectDeprecated(answer);
  });

  test('is announced on a 429 of GET /pets/{petId}', async () => {
    const answer = await service.call('/pets/1', { token: denied.deniedToken });
    expectError(answer, 429, 'rate_limit_exceeded');
    expectDeprecated(answer);
  });

  test.each<[string, CallOptions]>([
    ['/pets', {}],
    ['/pets', { json: rex }],
    ['/store/orders', {}],
    ['/nowhere', {}],
  ])('is not announced on %s %j', async (path, options) => {
    const { headers } = await service.call(path, options);
    for (const name of ['Deprecation', 'Sunset', 'Link']) expect(headers.has(name)).toBe(false);
  });

  test('begins before the sunset', async () => {
    const { headers } = await service.call('/pets/1');
    const since = Number(headers.get('Deprecation')?.slice(1)) * 1_000;
    expect(since).toBeLessThan(Date.parse(headers.get('Sunset') ?? ''));
  });
});
