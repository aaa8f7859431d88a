import { maxPetId, stringifyJson } from '@animal-store/contract';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { pets } from '../../src/database/schema.ts';
import { createPetRepository } from '../../src/pets/pet-repository.ts';
import { kindsOfThisRun } from '../support/databases.ts';
import { expectError } from '../support/expectations.ts';
import type { Pet } from '../support/list-all-pets.ts';
import { useService } from '../support/test-service.ts';

// The same cases in every run.
fc.configureGlobal({ seed: 1 });

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

describe.each(kindsOfThisRun)('a list of ids on %s', (kind) => {
  const service = useService(kind, {
    async prepare(db) {
      const repository = createPetRepository(db);
      for (const status of ['available', 'sold', 'pending', 'sold'] as const) {
        await repository.create({ name: status, categoryId: -(2n ** 63n), status });
      }
      await db
        .insert(pets)
        .values({ id: maxPetId, name: 'Last', categoryId: 9007199254740993n, status: 'sold' });
    },
  });

  let all: Pet[];
  beforeAll(async () => {
    all = (await service.call('/pets?limit=100')).body as Pet[];
  });

  const list = (ids: string, more = '') => service.call(`/pets?ids=${ids}${more}`);
  const idsIn = async (ids: string, more = '') =>
    ((await list(ids, more)).body as Pet[]).map(({ id }) => id);

  test('gives these animals as the whole list gives them', async () => {
    const answer = await list(all.map(({ id }) => id).join());
    expect(answer.status).toBe(200);
    expect(answer.text).toBe((await service.call('/pets?limit=100')).text);
    expect(answer.headers.has('Link')).toBe(false);
  });

  test('is ordered by ascending id, whatever the order of the ids', async () => {
    expect(await idsIn(`${maxPetId},3,1`)).toEqual([1, 3, maxPetId]);
  });

  test('has an animal once that was asked for twice', async () => {
    expect(await idsIn('2,2,1,2')).toEqual([1, 2]);
  });

  test('leaves out what does not exist', async () => {
    expect(await idsIn('0,2,-1,999,9223372036854775807,-9223372036854775808')).toEqual([2]);
  });

  test('is an empty array if none exists', async () => {
    expect(await list('77')).toMatchObject({ status: 200, text: '[]' });
  });

  test('never rounds an id to that of another animal', async () => {
    for (const id of ['9007199254740990', '9007199254740992', '9007199254740993']) {
      expect((await list(id)).text).toBe('[]');
    }
    expect(await idsIn(`9007199254740993,${maxPetId}`)).toEqual([maxPetId]);
  });

  test('is exact over int64', async () => {
    const known = new Map(all.map((pet) => [BigInt(pet.id), pet]));
    const id = fc.oneof(int64, fc.constantFrom(...known.keys()));
    await fc.assert(
      fc.asyncProperty(fc.array(id, { minLength: 1, maxLength: 100 }), async (ids) => {
        const expected = [...known].filter(([each]) => ids.includes(each)).map(([, pet]) => pet);
        expect((await list(ids.join())).text).toBe(stringifyJson(expected));
      }),
      { numRuns: 50 },
    );
  });

  test('takes a hundred ids', async () => {
    const ids = Array.from({ length: 100 }, (_, i) => i + 1).join();
    expect(await idsIn(ids)).toEqual([1, 2, 3, 4]);
  });

  test('has only animals of the status, if one is given', async () => {
    expect(await idsIn('1,2,3,4', '&status=sold')).toEqual([2, 4]);
  });

  test('has only animals of the category, if one is given', async () => {
    expect(await idsIn(`1,2,${maxPetId}`, '&categoryId=-9223372036854775808')).toEqual([1, 2]);
    expect(await idsIn(`1,2,${maxPetId}`, '&categoryId=9007199254740993')).toEqual([maxPetId]);
    expect(await idsIn(`1,${maxPetId}`, '&categoryId=9007199254740992')).toEqual([]);
    expect(await idsIn('1,2', '&categoryId=-9223372036854775808&status=sold')).toEqual([2]);
  });

  test('gives each of the requests that share a statement its own animals', async () => {
    const asked = ['1', '2,3', '99', '4,1', '2,3', '1,2,3,4'];
    const statuses = ['', '&status=sold'];
    const found = await Promise.all(
      statuses.flatMap((status) => asked.map((ids) => idsIn(ids, status))),
    );
    expect(found).toEqual([
      [1],
      [2, 3],
      [],
      [1, 4],
      [2, 3],
      [1, 2, 3, 4],
      [],
      [2],
      [],
      [4],
      [2],
      [2, 4],
    ]);
  });

  test('answers HEAD without a body', async () => {
    const answer = await service.call('/pets?ids=1,2', { method: 'HEAD' });
    expect(answer).toMatchObject({ status: 200, text: '' });
    const { text } = await list('1,2');
    expect(answer.headers.get('Content-Length')).toBe(String(Buffer.byteLength(text)));
  });

  test.each([
    ['nothing', ''],
    ['an empty place', '1,,2'],
    ['a comma at the end', '1,'],
    ['spaces', '1,%202'],
    ['a word', 'one'],
    ['a fraction', '1.0'],
    ['a leading zero', '01'],
    ['a number beyond int64', '9223372036854775808'],
    ['101 ids', Array.from({ length: 101 }, () => '1').join()],
    ['15,000 characters', '1,'.repeat(7_500)],
    ['brackets', '%5B1%5D'],
  ])('is refused with %s', async (_what, ids) => {
    const message =
      /^ids: expected one list of 1 to 100 64-bit integers, separated by commas, got "/;
    expectError(await list(ids), 400, 'invalid_request', message);
  });

  test('is refused if ids are given twice', async () => {
    expectError(
      await list('1', '&ids=2'),
      400,
      'invalid_request',
      /^ids: expected one list of 1 to 100 64-bit integers, separated by commas, got an array$/,
    );
  });

  test('is refused with what only pages have', async () => {
    expectError(
      await list('1', '&limit=5&cursor=abc'),
      400,
      'invalid_request',
      /^limit: expected none beside ids, got "5"; cursor: expected none beside ids, got "abc"$/,
    );
  });

  test('is where the Location of a new animal points to', async () => {
    const json = '{"name":"Mia","categoryId":9007199254740993,"status":"pending"}';
    const headers = { 'Idempotency-Key': 'Mia' };
    const created = await service.call('/pets', { json, headers });
    const { id } = created.body as Pet;
    const location = created.headers.get('Location');
    expect(location).toBe(`${service.server.baseUrl}/pets?ids=${id}`);
    const replayed = await service.call('/pets', { json, headers });
    expect(replayed.headers.get('Location')).toBe(location);
    const plain = await service.call('/pets', { json });
    const plainId = (plain.body as Pet).id;
    expect(plain.headers.get('Location')).toBe(`${service.server.baseUrl}/pets?ids=${plainId}`);
    expect((await list(`${id}`)).text).toBe(`[${created.text}]`);
  });
});
