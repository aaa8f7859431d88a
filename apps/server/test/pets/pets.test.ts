import { findLink } from '@animal-store/contract';
import { until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { createPetRepository } from '../../src/pets/pet-repository.ts';
import { connectTo } from '../support/databases.ts';
import { expectError, expectResponseHeaders } from '../support/expectations.ts';
import { listAll } from '../support/list-all-pets.ts';
import { sendRawRequest } from '../support/raw-http.ts';
import type { Answer } from '../support/send.ts';
import { useService } from '../support/test-service.ts';

// These tests check what can be tested only over HTTP. `pet-repository.test.ts` tests the contents
// of lists. `idempotent-creation.test.ts` tests repeated creations, and `hostile-requests.test.ts`
// tests invalid requests.

/** The id of a category that a JavaScript number cannot represent exactly (more than 2^53). */
const wide = 9007199254740993n;
const publicUrl = 'https://pets.example.com';

/**
 * The ids of the pending and sold animals, in ascending order. The tests create no further animals
 * with these statuses.
 */
const ids = { pending: [] as number[], sold: [] as number[] };

const service = useService('postgres', {
  api: { publicUrl },
  async prepare(db) {
    const pets = createPetRepository({ db, reads: db });
    for (let i = 0; i < 45; i += 1) {
      const status = i % 9 === 4 ? 'pending' : 'sold';
      const { id } = await pets.create({ name: `${i}`, categoryId: i % 2 ? 1 : wide, status });
      ids[status].push(id);
    }
  },
});
/** Returns all animals with a name. Each name is used by one test only. */
async function named(name: string) {
  const pets = await listAll(service.server, service.tokens.enterprise, (url, options) =>
    service.call(url.slice(url.indexOf('/pets')), options),
  );
  return [...pets.values()].filter((pet) => pet.name === name);
}

test('createPet ignores an id and unknown properties in the body, and returns the new animal and its Location', async () => {
  const { status, body, headers } = await service.call('/pets', {
    json: '{"id":1,"name":"\\ud83d\\udc15","categoryId":1,"__proto__":{"status":"sold"},"price":"9"}',
  });
  const { id } = body as { id: number };
  const pet = { id: expect.any(Number), name: '🐕', categoryId: 1, status: 'available' };
  expect([status, body]).toStrictEqual([201, pet]);
  expect(id).not.toBe(1);
  expect(headers.get('Location')).toBe(`${publicUrl}/v1/pets?ids=${id}`);
  expect(await named('🐕')).toEqual([body]);
});

test.each([
  // The link must not repeat `api_key`, because its value might be a secret.
  ['limit=3&api_key=hush&x=%0d%0aLink:a', 'limit=3'],
  ['status=sold', 'limit=20&status=sold'],
  [`categoryId=${wide}&status=sold&limit=1`, `limit=1&status=sold&categoryId=${wide}`],
])(
  'the link to the next page of /pets?%s contains %s and nothing else that the caller sent',
  async (query, kept) => {
    const answer = await sendRawRequest(service, {
      line: `GET http://evil.example/v1/pets?${query} HTTP/1.1`,
      headers: ['X-Forwarded-Host: evil.example', 'Forwarded: host=evil.example'],
    });
    const [address, cursor] = answer.headers.get('Link')?.split('&cursor=') ?? [];
    expect(address).toBe(`<${publicUrl}/v1/pets?${kept}`);
    expect(cursor).toMatch(/^[\w-]+>; rel="next"$/);
  },
);

test('listPets accepts a cursor with any page size, but only with the filter of its list', async () => {
  const { headers } = await service.call('/pets?limit=3&status=sold');
  const next = new URL(findLink(headers.get('Link') ?? '', 'next') ?? '');
  const cursor = next.searchParams.get('cursor');
  const { body } = await service.call(`/pets?status=sold&limit=5&cursor=${cursor}`);
  expect((body as { id: number }[]).map(({ id }) => id)).toEqual(ids.sold.slice(3, 8));
  // `pet-cursor.test.ts` tests cursors with all filters.
  const refused = await service.call(`/pets?categoryId=1&cursor=${cursor}`);
  expectError(refused, 400, 'invalid_request', /^cursor: expected /);
  const [first, ...others] = ids.sold.slice(0, 3);
  const list = await service.call(`/pets?ids=${others}&status=sold&ids=${first},${first}`);
  expect((list.body as { id: number }[]).map(({ id }) => id)).toEqual([first, ...others]);
  expect(list.headers.has('Link')).toBe(false);
});

const create = (key: string, json: string) =>
  service.call('/pets', { json, headers: { 'Idempotency-Key': key } });
const isReplay = ({ headers }: Answer) => headers.get('Idempotent-Replayed') === 'true';

test('createPet with a used idempotency key repeats the first 201 response and creates nothing, but counts the request against the quota', async () => {
  const json = '{"name":"Once","categoryId":9007199254740993,"status":"available"}';
  const again = '{ "status":"available",\n"categoryId" : 9007199254740993, "name" : "\\u004fnce" }';
  const [first, second] = [await create('once', json), await create('once', again)];
  expect(second).toMatchObject({ status: 201, text: first.text });
  expectResponseHeaders(second);
  expect(second.headers.get('Location')).toBe(first.headers.get('Location'));
  const remaining = ({ headers }: Answer) => Number(headers.get('X-RateLimit-Remaining'));
  expect(remaining(second)).toBe(remaining(first) - 1);
  expect([first, second].map(isReplay)).toEqual([false, true]);
  const refused = await create('once', '{"name":"Once","categoryId":1}');
  expectError(refused, 422, 'idempotency_key_reused', /^Idempotency-Key: expected a new key/);
  expect(isReplay(refused)).toBe(false);
  expect(await named('Once')).toHaveLength(1);
});

test('createPet accepts only an Idempotency-Key of 1 to 255 visible ASCII characters, and listPets ignores the header', async () => {
  const body = '{"name":"Keyed","categoryId":1}';
  expect((await create('k'.repeat(255), body)).status).toBe(201);
  for (const key of ['', 'k'.repeat(256), 'cl\xe9', 'a\r\nIdempotency-Key: b']) {
    const type = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    const headers = [`Idempotency-Key: ${key}`, ...type];
    const refused = await sendRawRequest(service, {
      line: 'POST /v1/pets HTTP/1.1',
      headers,
      body,
    });
    const message = /^Idempotency-Key: expected 1 to 255 visible ASCII characters, got "/;
    expectError(refused, 400, 'invalid_request', message);
    const line = 'GET /v1/pets?limit=1 HTTP/1.1';
    expect((await sendRawRequest(service, { line, headers, body })).status).toBe(200);
  }
  expect(await named('Keyed')).toHaveLength(1);
});

test('createPet responds with 409 while another request uses the same idempotency key, until that request has failed', async () => {
  await using sql = connectTo(service.database.url, 2);
  // The trigger makes every new animal wait for a lock that this session holds. The trigger also
  // refuses one of the animals.
  await sql.unsafe(`
    create function wait_for_the_test() returns trigger language plpgsql as
      'begin
        perform pg_advisory_xact_lock(42);
        if new.name = ''Unlucky'' then raise exception ''out of luck''; end if;
        return new;
      end';
    create trigger slow before insert on pets for each row execute function wait_for_the_test()`);
  // The query checks only this database, because other tests hold locks in the same Postgres
  // server.
  const isWaiting = async () =>
    (
      await sql`select from pg_locks join pg_database on pg_database.oid = database
        where datname = current_database() and locktype = 'advisory' and not granted`
    ).length > 0;
  const json = '{"name":"Slow","categoryId":1}';
  const first = await sql.begin(async (holder) => {
    await holder`select pg_advisory_xact_lock(42)`;
    const creating = create('slow', json);
    await until(isWaiting);
    for (const body of [json, '{"name":"Rex","categoryId":1}']) {
      const answer = await create('slow', body);
      expectError(answer, 409, 'idempotency_in_progress', /Retry after 1 s/);
      expect(isReplay(answer)).toBe(false);
    }
    return { creating };
  });
  const created = await first.creating;
  expect(created.status).toBe(201);
  const replay = await create('slow', json);
  expect([replay.text, isReplay(replay)]).toEqual([created.text, true]);

  const failed = await create('luck', '{"name":"Unlucky","categoryId":1}');
  expectError(failed, 500, 'internal_error', /^Something went wrong on our side\.$/);
  await sql`drop trigger slow on pets`;
  const answer = await create('luck', '{"name":"Luck","categoryId":2}');
  expect([answer.status, isReplay(answer)]).toEqual([201, false]);
});
