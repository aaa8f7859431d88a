import LinkHeader from 'http-link-header';
import { parseItem, parseList } from 'structured-headers';
import { expect, test } from 'vitest';
import type { Answer } from '../support/send.ts';
import { useService } from '../support/test-service.ts';
import { fuzz, readOperations } from './fuzz.ts';
import { judge } from './judge.ts';

const service = useService('postgres', { quotas: { addressPerMinute: 1_000_000 } });

// The campaign (long test) `api` repeats this test with other seeds.
test('the public API responds to generated requests as its OpenAPI document describes', async () => {
  const { baseUrl } = service.server;
  const apiKey = service.tokens.enterprise;
  const met = await fuzz({ baseUrl, apiKey, requests: 250, seed: 1 });
  // Each operation must have been called with valid and with invalid requests.
  const tried = [
    ...['listPets, valid: 200', 'listPets, invalid: 400', 'createPet, valid: 201'],
    ...['createPet, invalid: 400', 'getPet, valid: 404', 'getPet, invalid: 400'],
    ...['getRateLimit, valid: 200', 'listOrders, valid: 501'],
  ];
  for (const it of tried) expect(met).toContain(it);
});

test('the error responses with 401, 405, 415 and 400 (invalid JSON) match the OpenAPI document of the public API', async () => {
  for (const operation of await readOperations(service.server.baseUrl)) {
    const { method, path, body } = operation;
    const refusals = [
      [401, { token: null }],
      [405, { method: 'PATCH' }],
      [400, { json: '{' }],
      [415, { headers: { 'Content-Type': 'text/plain' } }],
    ] as const;
    for (const [status, change] of refusals.slice(0, body === undefined ? 2 : 4)) {
      const request = { method, json: '{}', ...change };
      const answer = await service.call(path.replace('{petId}', '7'), request);
      expect([answer.status, judge(operation, request.method, answer)]).toEqual([status, []]);
    }
  }
});

test('the response headers with lists, dates and links can be read by standard parsers', async () => {
  for (const name of ['Mia', 'Tom']) {
    await service.call('/pets', { json: JSON.stringify({ name, categoryId: 1 }) });
  }
  const page = await service.call('/pets?limit=1', { token: service.tokens.free });
  const read = (name: string) =>
    parseList(String(page.headers.get(name))).map(([item, members]) => [item, [...members]]);
  expect([read('RateLimit-Policy'), read('RateLimit')]).toEqual([
    [
      ['minute', Object.entries({ q: 60, w: 60 })],
      ['day', Object.entries({ q: 1000, w: 86_400 })],
    ],
    [
      ['minute', Object.entries({ r: 59, t: expect.any(Number) })],
      ['day', Object.entries({ r: 999, t: expect.any(Number) })],
    ],
  ]);
  const linkOf = ({ headers }: Answer, rel: string) =>
    new URL(String(LinkHeader.parse(String(headers.get('Link'))).rel(rel)[0]?.uri));
  expect((await service.call(`/pets${linkOf(page, 'next').search}`)).status).toBe(200);

  const old = await service.call('/pets/1');
  expect(parseItem(String(old.headers.get('Deprecation')))[0]).toBeInstanceOf(Date);
  expect(new Date(String(old.headers.get('Sunset'))).toISOString()).toBe(
    '2030-12-05T00:00:00.000Z',
  );
  expect(linkOf(old, 'deprecation').pathname).toBe('/docs');
  expect(linkOf(old, 'successor-version').search).toBe('?ids=1');
});
