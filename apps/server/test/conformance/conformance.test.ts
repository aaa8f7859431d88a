import LinkHeader from 'http-link-header';
import { parseItem, parseList } from 'structured-headers';
import { describe, expect, test } from 'vitest';
import { useSharedService } from '../support/shared-service.ts';
import { fuzz } from './fuzz.ts';

const { service } = useSharedService();

test('every response conforms to the document and fits its request', async () => {
  const counts = await fuzz({
    baseUrl: service.server.baseUrl,
    apiKey: service.tokens.enterprise,
    requests: 1_000,
    // `run-fuzz.ts` tries others.
    seed: 1,
  });
  // All of it was tried: each operation, by each kind of request.
  for (const [operation, ...statuses] of [
    ['listPets', 'valid: 200', 'invalid: 400', 'other method: 405', 'without key: 401'],
    [
      'createPet',
      'valid: 201',
      'invalid: 400',
      'invalid: 415',
      'other method: 405',
      'without key: 401',
    ],
    ['getPet', 'valid: 404', 'invalid: 400', 'other method: 405', 'without key: 401'],
    ['getRateLimit', 'valid: 200', 'other method: 405', 'without key: 401'],
    ['listOrders', 'valid: 501', 'other method: 405', 'without key: 401'],
  ] as const) {
    for (const status of statuses) expect(counts).toHaveProperty([`${operation}, ${status}`]);
  }
});

describe('standard parsers read the headers:', () => {
  test('RateLimit and RateLimit-Policy are structured lists', async () => {
    const { headers } = await service.call('/pets', { token: service.tokens.free });
    const policies = parseList(String(headers.get('RateLimit-Policy')));
    expect(policies.map(([name, members]) => [name, Object.fromEntries(members)])).toEqual([
      ['minute', { q: 60, w: 60 }],
      ['day', { q: 1000, w: 86_400 }],
    ]);
    const state = parseList(String(headers.get('RateLimit')));
    expect(state.map(([name, members]) => [name, Object.fromEntries(members)])).toEqual([
      ['minute', { r: 59, t: expect.any(Number) }],
      ['day', { r: 999, t: expect.any(Number) }],
    ]);
  });

  test('Deprecation is a structured date, Sunset an HTTP date', async () => {
    const { headers } = await service.call('/pets/1');
    const [since] = parseItem(String(headers.get('Deprecation')));
    expect(since).toBeInstanceOf(Date);
    expect(new Date(String(headers.get('Sunset'))).toISOString()).toBe('2030-12-05T00:00:00.000Z');
  });

  test('Link names the next page and the successor of an operation', async () => {
    for (const name of ['Mia', 'Tom']) {
      await service.call('/pets', { json: JSON.stringify({ name, categoryId: 1 }) });
    }
    const page = await service.call('/pets?limit=1');
    const [next] = LinkHeader.parse(String(page.headers.get('Link'))).rel('next');
    const { search } = new URL(String(next?.uri));
    expect((await service.call(`/pets${search}`)).status).toBe(200);

    const { headers } = await service.call('/pets/1');
    const links = LinkHeader.parse(String(headers.get('Link')));
    expect(new URL(String(links.rel('deprecation')[0]?.uri)).pathname).toBe('/docs');
    const successor = new URL(String(links.rel('successor-version')[0]?.uri));
    expect(successor.pathname + successor.search).toBe('/v1/pets?ids=1');
  });
});
