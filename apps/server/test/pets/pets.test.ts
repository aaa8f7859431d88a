import { describe, expect, test } from 'vitest';
import { expectError, expectResponseHeaders } from '../support/expectations.ts';
import { listAll } from '../support/list-all-pets.ts';
import { useService } from '../support/test-service.ts';

// Which names, categories and queries are valid is tested in packages/contract, and how they are stored in
// pet-repository.test.ts.

const service = useService('postgres');

const create = (json: string) => service.call('/pets', { json });
const all = async () => [...(await listAll(service.server, service.tokens.enterprise)).values()];

test('a creation answers with the animal alone, as it is then found', async () => {
  const created = await create('{"name":"Rex","categoryId":9007199254740993}');
  expect(created.status).toBe(201);
  expect(created.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  expectResponseHeaders(created);
  const { id } = created.body as { id: number };
  expect(created.text).toBe(
    `{"id":${id},"name":"Rex","categoryId":9007199254740993,"status":"available"}`,
  );
  expect((await service.call(`/pets/${id}`)).text).toBe(created.text);
  const location = created.headers.get('Location');
  expect(location).toBe(`${service.server.baseUrl}/pets?ids=${id}`);
  expect((await service.call(`/pets?ids=${id}`)).text).toBe(`[${created.text}]`);
});

test('a creation ignores an id, and members of other names', async () => {
  const before = await all();
  const created = await create(
    '{"id":1,"name":"\\ud83d\\udc15","categoryId":1,"__proto__":{"status":"sold"},"price":"9.99"}',
  );
  expect(created.status).toBe(201);
  const pet = { id: expect.any(Number), name: '🐕', categoryId: 1, status: 'available' };
  expect(created.body).toStrictEqual(pet);
  expect(await all()).toEqual([...before, created.body]);
});

describe('a creation is refused, and told why in a message:', () => {
  const name = 'expected 1 to 255 characters, without control characters and lone surrogates';
  const pet = (members: string) => `{"name":"Rex",${members}}`;
  const status = 'expected one of available, pending, sold';

  test.each([
    ['{}', `name: ${name}, got nothing; categoryId: expected a 64-bit integer, got nothing`],
    [pet('"categoryId":"7"'), 'categoryId: expected a 64-bit integer, got "7"'],
    [pet('"categoryId":null'), 'categoryId: expected a 64-bit integer, got null'],
    [pet('"categoryId":{"a":1}'), 'categoryId: expected a 64-bit integer, got an object'],
    [pet('"categoryId":true'), 'categoryId: expected a 64-bit integer, got true'],
    // Numbers are shown as they were sent.
    ...['1e400', '-1E+400', '1.50', '9223372036854775808', '4503599627370496.4'].map((number) => [
      pet(`"categoryId":${number}`),
      `categoryId: expected a 64-bit integer, got ${number}`,
    ]),
    [
      '{"name":1e400,"categoryId":[1e400],"status":-0.0}',
      `name: ${name}, got 1e400; categoryId: expected a 64-bit integer, got an array; status: ${status}, got -0.0`,
    ],
    // What is shown cannot look like another message, and is cut.
    ['{"name":"a\\u0000\\ud800","categoryId":1}', `name: ${name}, got "a\\u0000\\ud800"`],
    [
      `{"name":"${'🐕'.repeat(256)}","categoryId":1}`,
      `name: ${name}, got "${'🐕'.repeat(19)}\ufffd…`,
    ],
    [
      '{"name":"Rex","category_id":7,"Status":"sold"}',
      'categoryId: expected under exactly this name, got "category_id"; status: expected under exactly this name, got "Status"',
    ],
    [
      '{"name":"Rex","categoryId":1,"status":"ast_0000000000000000000000000000002C8GjS"}',
      `status: ${status}, got "ast_…"`,
    ],
  ])('%s', async (json, message) => {
    const before = await all();
    const answer = await create(json);
    expectError(answer, 400, 'invalid_request');
    expect(answer.body).toMatchObject({ message });
    expect(await all()).toEqual(before);
  });

  test('which is cut to a kilobyte', async () => {
    const members = Array.from({ length: 40 }, (_, i) => `"category_id${'_'.repeat(i)}":1`);
    const answer = await create(`{"name":"Rex","categoryId":1,${members}}`);
    expectError(answer, 400, 'invalid_request', /^categoryId: .*…$/);
    expect(Buffer.byteLength((answer.body as { message: string }).message)).toBeGreaterThan(1_000);
  });
});

test.each(['0', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808'])(
  '%s is an id without an animal',
  async (id) => {
    expectError(
      await service.call(`/pets/${id}`),
      404,
      'pet_not_found',
      new RegExp(`^There is no animal with the id ${id}\\.$`),
    );
  },
);

test.each([
  ['9223372036854775808', '"9223372036854775808"'],
  ['-0', '"-0"'],
  ['1%2F2', '"1/2"'],
  ['1%00', '"1\\u0000"'],
  ['%D9%A1', '"١"'],
  ['__proto__', '"__proto__"'],
  ['9'.repeat(2_000), `"${'9'.repeat(39)}…`],
])('%s is no id', async (id, shown) => {
  const answer = await service.call(`/pets/${id}`);
  expectError(answer, 400, 'invalid_request');
  const message = `petId: expected a 64-bit integer, got ${shown}`;
  expect(answer.body).toMatchObject({ message });
});
