import LinkHeader from 'http-link-header';
import { parseItem, parseList } from 'structured-headers';
import { expect, test } from 'vitest';
import { useService } from '../support/test-service.ts';
import { fuzz } from './fuzz.ts';

const service = useService('postgres', { env: { ADDRESS_PER_MINUTE: '1000000' } });

// The campaign `api` tries others.
test('every response conforms to the document and fits its request', async () => {
  const { baseUrl } = service.server;
  const apiKey = service.tokens.enterprise;
  const counts = await fuzz({ baseUrl, apiKey, requests: 300, seed: 1 });
  // All of it was tried: each operation, by each kind of request.
  const always = ['other method: 405', 'without key: 401'];
  for (const [operation, ...statuses] of [
    ['listPets', 'valid: 200', 'invalid: 400'],
    ['createPet', 'valid: 201', 'invalid: 400', 'invalid: 415'],
    ['getPet', 'valid: 404', 'invalid: 400'],
    ['getRateLimit', 'valid: 200'],
    ['listOrders', 'valid: 501'],
  ]) {
    for (const it of [...statuses, ...always])
      expect(counts).toHaveProperty([`${operation}, ${it}`]);
  }
});

test('standard parsers read RateLimit and RateLimit-Policy as structured lists', async () => {
  const { headers } = await service.call('/pets', { token: service.tokens.free });
  const read = (name: string) =>
    parseList(String(headers.get(name))).map(([item, members]) => [
      item,
      Object.fromEntries(members),
    ]);
  expect(read('RateLimit-Policy')).toEqual([
    ['minute', { q: 60, w: 60 }],
    ['day', { q: 1000, w: 86_400 }],
  ]);
  expect(read('RateLimit')).toEqual([
    ['minute', { r: 59, t: expect.any(Number) }],
    ['day', { r: 999, t: expect.any(Number) }],
  ]);
});

test('standard parsers read Deprecation, Sunset and Link', async () => {
  for (const name of ['Mia', 'Tom']) {
    await service.call('/pets', { json: JSON.stringify({ name, categoryId: 1 }) });
  }
  const page = await service.call('/pets?limit=1');
  const [next] = LinkHeader.parse(String(page.headers.get('Link'))).rel('next');
  const { search } = new URL(String(next?.uri));
  expect((await service.call(`/pets${search}`)).status).toBe(200);

  const { headers } = await service.call('/pets/1');
  expect(parseItem(String(headers.get('Deprecation')))[0]).toBeInstanceOf(Date);
  expect(new Date(String(headers.get('Sunset'))).toISOString()).toBe('2030-12-05T00:00:00.000Z');
  const links = LinkHeader.parse(String(headers.get('Link')));
  expect(new URL(String(links.rel('deprecation')[0]?.uri)).pathname).toBe('/docs');
  const successor = new URL(String(links.rel('successor-version')[0]?.uri));
  expect(successor.pathname + successor.search).toBe('/v1/pets?ids=1');
});
