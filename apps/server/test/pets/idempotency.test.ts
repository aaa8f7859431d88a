import { until } from '@animal-store/testkit';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectError, expectResponseHeaders } from '../support/expectations.ts';
import { listAll } from '../support/list-all-pets.ts';
import { sendRawRequest } from '../support/raw-http.ts';
import type { Answer } from '../support/send.ts';
import { useService } from '../support/test-service.ts';

// Which creations are the same is tested in idempotent-creation.test.ts.

const rex = '{"name":"Rex","categoryId":1}';

const service = useService('postgres');

const create = (key: string, json: string, token = service.tokens.enterprise) =>
  service.call('/pets', { json, token, headers: { 'Idempotency-Key': key } });
const isReplay = ({ headers }: Answer) => headers.get('Idempotent-Replayed') === 'true';

/** All animals of a name that only one test uses. */
async function named(name: string) {
  const pets = await listAll(service.server, service.tokens.enterprise);
  return [...pets.values()].filter((pet) => pet.name === name);
}

test('a replay answers the same 201, costs one request and creates nothing', async () => {
  const json = '{"name":"Once","categoryId":9007199254740993,"status":"sold"}';
  const first = await create('once', json);
  const again = '{ "status":"sold",\n"categoryId" : 9007199254740993, "name" : "\\u004fnce" }';
  const second = await create('once', again);
  for (const answer of [first, second]) {
    expect(answer).toMatchObject({ status: 201, text: first.text });
    expectResponseHeaders(answer);
    const { id } = answer.body as { id: number };
    expect(answer.headers.get('Location')).toBe(`${service.server.baseUrl}/pets?ids=${id}`);
  }
  const remaining = ({ headers }: Answer) => Number(headers.get('X-RateLimit-Remaining'));
  expect(remaining(second)).toBe(remaining(first) - 1);
  expect(first.headers.has('Idempotent-Replayed')).toBe(false);
  expect(isReplay(second)).toBe(true);
  expect(await named('Once')).toHaveLength(1);
});

test('another body is refused, and creates nothing', async () => {
  await create('reused', rex);
  const refused = await create('reused', '{"name":"Other","categoryId":1}');
  expectError(refused, 422, 'idempotency_key_reused', /^Idempotency-Key: expected a new one/);
  expect(refused.headers.has('Idempotent-Replayed')).toBe(false);
  expect(await named('Other')).toEqual([]);
});

test('a key that met an invalid body is still free', async () => {
  expectError(await create('retry', '{"name":"Rex"}'), 400, 'invalid_request');
  const answer = await create('retry', rex);
  expect([answer.status, isReplay(answer)]).toEqual([201, false]);
});

test('a key belongs to the API key of its request', async () => {
  const first = await create('shared', rex);
  const other = await create(
    'shared',
    '{"name":"Foreign","categoryId":5}',
    service.tokens.business,
  );
  expect([first.status, other.status]).toEqual([201, 201]);
});

test.each([
  ['1 character', 'k'],
  ['255 characters', 'k'.repeat(255)],
  ['every kind of visible ASCII character', '!"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~'],
])('a key may have %s', async (_what, key) => {
  const first = await create(key, rex);
  const second = await create(key, rex);
  expect([first.status, second.text, isReplay(second)]).toEqual([201, first.text, true]);
});

test.each([
  ['empty', ''],
  ['256 characters long', 'k'.repeat(256)],
  ['of two words', 'two words'],
  ['beyond ASCII', 'cl\xe9'],
  ['given twice', 'a\r\nIdempotency-Key: b'],
])('a key that is %s is refused, and ignored on a GET', async (_what, key) => {
  const json = '{"name":"Refused","categoryId":1}';
  const headers = [`Idempotency-Key: ${key}`, 'Content-Type: application/json'];
  const ask = (method: string) =>
    sendRawRequest(service, {
      line: `${method} /v1/pets?limit=1 HTTP/1.1`,
      headers: [...headers, `Content-Length: ${json.length}`],
      body: json,
    });
  expectError(
    await ask('POST'),
    400,
    'invalid_request',
    /^Idempotency-Key: expected 1 to 255 visible ASCII characters, got "/,
  );
  expect((await ask('GET')).status).toBe(200);
  expect(await named('Refused')).toEqual([]);
});

test('without a key, equal bodies create two animals', async () => {
  const json = '{"name":"Twice","categoryId":1}';
  await Promise.all([service.call('/pets', { json }), service.call('/pets', { json })]);
  expect(await named('Twice')).toHaveLength(2);
});

test('concurrent requests with one key and two bodies create exactly one animal', async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => create('duel', `{"name":"Duel","categoryId":${i % 2}}`)),
  );
  const [pet, ...more] = await named('Duel');
  expect(more).toEqual([]);
  for (const answer of answers) {
    if (answer.status === 201) expect(answer.body).toEqual(pet);
    else if (answer.status === 409) expectError(answer, 409, 'idempotency_in_progress');
    else expectError(answer, 422, 'idempotency_key_reused');
  }
  expect(answers.filter((it) => it.status === 201 && !isReplay(it))).toHaveLength(1);
});

let sql: postgres.Sql;
beforeAll(() => {
  const url = service.database.env['DATABASE_URL'] ?? '';
  sql = postgres(url, { max: 2, onnotice: () => {} });
});
afterAll(() => sql.end());

test('while the first request is in flight, the second gets 409', async () => {
  // A slow insert: every new animal waits for a lock that this session holds.
  await sql.unsafe(`
    create function wait_for_the_test() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(42); return new; end';
    create trigger slow before insert on pets for each row execute function wait_for_the_test()`);
  const holder = await sql.reserve();
  await holder`select pg_advisory_lock(42)`;
  // In this database: those of other tests have locks in the same Postgres.
  const isWaiting = async () =>
    (
      await sql`select from pg_locks join pg_database on pg_database.oid = database
        where datname = current_database() and locktype = 'advisory' and not granted`
    ).length > 0;
  const json = '{"name":"Slow","categoryId":1}';
  let first: ReturnType<typeof create>;
  try {
    first = create('slow', json);
    await until(isWaiting);
    for (const body of [json, rex]) {
      const answer = await create('slow', body);
      expectError(answer, 409, 'idempotency_in_progress', /Retry after 1 s/);
      expect(answer.headers.has('Idempotent-Replayed')).toBe(false);
    }
  } finally {
    await holder`select pg_advisory_unlock(42)`;
    holder.release();
    await sql`drop trigger slow on pets`;
  }
  expect((await first).status).toBe(201);
  const replay = await create('slow', json);
  expect([replay.text, isReplay(replay)]).toEqual([(await first).text, true]);
  expect(await named('Slow')).toHaveLength(1);
});

test('a creation that fails leaves its key free', async () => {
  await sql.unsafe(`
    create function fail() returns trigger language plpgsql as
      'begin raise exception ''out of luck''; end';
    create trigger failing before insert on pets for each row execute function fail()`);
  const failed = await create('luck', '{"name":"Luck","categoryId":1}');
  await sql`drop trigger failing on pets`;
  expectError(failed, 500, 'internal_error', /^Something went wrong on our side\.$/);
  const answer = await create('luck', '{"name":"Luck","categoryId":2}');
  expect([answer.status, isReplay(answer)]).toEqual([201, false]);
  expect(await named('Luck')).toHaveLength(1);
});
