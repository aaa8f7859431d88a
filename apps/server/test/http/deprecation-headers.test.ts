import { findLink } from '@animal-store/contract';
import { describe, expect, test } from 'vitest';
import { useServiceWithDeniedKey } from '../support/denied-key.ts';
import { expectError } from '../support/expectations.ts';
import type { Answer } from '../support/send.ts';
import type { CallOptions } from '../support/test-service.ts';

const rex = '{"name":"Rex","categoryId":1}';

const denied = useServiceWithDeniedKey();
const { service } = denied;

describe('deprecation', () => {
  const expectDeprecated = ({ headers }: Answer, successor: string) => {
    expect(headers.get('Deprecation')).toMatch(/^@\d{10}$/);
    expect(headers.get('Sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
    const link = headers.get('Link') ?? '';
    expect(link).toMatch(/<https?:\/\/[^>]+>; rel="deprecation"/);
    expect(link).toContain(`<${service.server.baseUrl}${successor}>; rel="successor-version"`);
  };

  /** There is an animal with the id that stands for `{id}`. */
  const withId = (path: string) => path.replace('{id}', String(denied.petId));

  test.each<[string, string, string, CallOptions]>([
    ['200', '/pets/{id}', '/pets?ids={id}', {}],
    ['200 to HEAD', '/pets/{id}', '/pets?ids={id}', { method: 'HEAD' }],
    ['200 with a query', '/pets/{id}?x=y', '/pets?ids={id}', {}],
    ['400', '/pets/x', '/pets', {}],
    ['400 of a list', '/pets/1,2', '/pets', {}],
    ['400 of a line break', '/pets/1%0d%0aX-Evil:%20y', '/pets', {}],
    ['400 of percent-encoding', '/pets/%ff', '/pets', {}],
    ['401 without a key', '/pets/{id}', '/pets?ids={id}', { token: null }],
    ['401 with a wrong key', '/pets/{id}', '/pets?ids={id}', { token: 'wrong' }],
    ['404', '/pets/-9223372036854775808', '/pets?ids=-9223372036854775808', {}],
  ])('is announced on a %s of GET /pets/{petId}', async (status, path, successor, options) => {
    const answer = await service.call(withId(path), options);
    expect(answer.status).toBe(Number.parseInt(status, 10));
    expectDeprecated(answer, withId(successor));
  });

  test('is announced on a 429 of GET /pets/{petId}', async () => {
    const answer = await service.call(withId('/pets/{id}'), { token: denied.deniedToken });
    expectError(answer, 429, 'rate_limit_exceeded');
    expectDeprecated(answer, withId('/pets?ids={id}'));
  });

  test.each<[string, CallOptions]>([
    // A category of no animal, because other files add animals, and a next page has a link.
    ['/pets?categoryId=6543217', {}],
    ['/pets', { json: rex }],
    ['/store/orders', {}],
    ['/nowhere', {}],
  ])('is not announced on %s %j', async (path, options) => {
    const { headers } = await service.call(path, options);
    for (const name of ['Deprecation', 'Sunset', 'Link']) expect(headers.has(name)).toBe(false);
  });

  test('leads to the animal in the list', async () => {
    const { text, headers } = await service.call(withId('/pets/{id}'));
    const successor = findLink(headers.get('Link') ?? '', 'successor-version') ?? '';
    const list = await service.call(successor.slice(service.server.baseUrl.length));
    expect(list.text).toBe(`[${text}]`);
  });

  test('begins before the sunset', async () => {
    const { headers } = await service.call(withId('/pets/{id}'));
    const since = Number(headers.get('Deprecation')?.slice(1)) * 1_000;
    expect(since).toBeLessThan(Date.parse(headers.get('Sunset') ?? ''));
  });
});
