import { describe, expect, test } from 'vitest';
import { databaseKinds } from '../support/databases.ts';
import { expectError, expectResponseHeaders } from '../support/expectations.ts';
import { useService } from '../support/test-service.ts';

type Pet = { id: number; name: string; categoryId: number | bigint; status: string };

const escapedControls = [
  '\\u0000',
  '\\u0007',
  '\\t',
  '\\n',
  '\\r',
  '\\u001f',
  '\\u007f',
  '\\u0085',
];

describe.each(databaseKinds)('animals on %s', (kind) => {
  const service = useService(kind);

  const create = (json: string) => service.call('/pets', { json });
  const createNamed = (name: string) => create(JSON.stringify({ name, categoryId: 1 }));

  async function all(): Promise<Pet[]> {
    const { status, body, headers } = await service.call('/pets?limit=100');
    expect(status).toBe(200);
    expect(headers.has('Link')).toBe(false);
    return body as Pet[];
  }

  /** Refuses a creation, and sees that nothing was created. */
  async function expectRefused(json: string, message: RegExp, code = 'invalid_request') {
    const before = await all();
    expectError(await create(json), 400, code, message);
    expect(await all()).toEqual(before);
  }

  test('the list of an empty store is an empty array', async () => {
    expect((await service.call('/pets')).text).toBe('[]');
  });

  describe('categoryId', () => {
    test.each([
      '9007199254740991',
      '9007199254740992',
      '9007199254740993',
      '-9007199254740993',
      '-9223372036854775808',
      '9223372036854775807',
      '0',
      '-1',
    ])('%s comes back exactly', async (categoryId) => {
      const created = await create(`{"name":"Exact","categoryId":${categoryId}}`);
      expect(created.status).toBe(201);
      expect(created.text).toMatch(
        new RegExp(
          `^\\{"id":\\d+,"name":"Exact","categoryId":${categoryId},"status":"available"\\}$`,
        ),
      );
      const { id } = created.body as Pet;
      expect((await service.call(`/pets/${id}`)).text).toBe(created.text);
      expect((await service.call('/pets?limit=100')).text).toContain(created.text);
    });

    test.each([
      '9223372036854775808',
      '-9223372036854775809',
      '1.5',
      '9007199254740993.5',
      '4503599627370496.4',
      '1e400',
      '-1e400',
      '1e19',
      '1e-1',
      '"7"',
      'null',
      'true',
      '[1]',
      '{}',
    ])('%s is refused', async (categoryId) => {
      await expectRefused(`{"name":"Rex","categoryId":${categoryId}}`, /^categoryId: expected /);
    });

    test.each(['1e400', '-1E+400', '1.50', '9223372036854775808', '4503599627370496.4'])(
      '%s is shown in the message as it was sent',
      async (categoryId) => {
        const message = `categoryId: expected a 64-bit integer, got ${categoryId}`;
        const { body } = await create(`{"name":"Rex","categoryId":${categoryId}}`);
        expect(body).toEqual({ code: 'invalid_request', message, status: 400 });
      },
    );

    test('a long number is cut in the message', async () => {
      const { body } = await create(`{"name":"Rex","categoryId":${'9'.repeat(1_000)}}`);
      const message = `categoryId: expected a 64-bit integer, got ${'9'.repeat(40)}…`;
      expect(body).toEqual({ code: 'invalid_request', message, status: 400 });
    });
  });

  describe('name', () => {
    test.each([
      ['one character', 'x'],
      ['255 characters', 'x'.repeat(255)],
      ['255 characters beyond the basic plane', '🐕'.repeat(255)],
      ['spaces around it', ' x '],
      ['quotes and backslashes', '"\\\'`/'],
      ['markup', '<script>alert(1)</script>'],
      ['SQL', "'; drop table pets; --"],
      ['a placeholder', '$1 %s :name ?'],
      ['right-to-left and joined characters', 'كلب 👨‍👩‍👧 e\u0301'],
      ['a private-use character and a noncharacter', '\ue000\uffff'],
      ['a word that JavaScript knows', '__proto__'],
    ])('%s comes back as it was sent', async (_what, name) => {
      const created = await createNamed(name);
      expect(created.status).toBe(201);
      expect((created.body as Pet).name).toBe(name);
      const { id } = created.body as Pet;
      expect((await service.call(`/pets/${id}`)).body).toEqual(created.body);
    });

    test('an escaped surrogate pair is one character', async () => {
      const created = await create('{"name":"\\ud83d\\udc15","categoryId":1}');
      expect(created.status).toBe(201);
      expect((created.body as Pet).name).toBe('🐕');
    });

    test.each<[string, string]>([
      ['empty', '""'],
      ['256 characters long', JSON.stringify('x'.repeat(256))],
      ['256 characters beyond the basic plane long', JSON.stringify('🐕'.repeat(256))],
      ['a number', '7'],
      ['null', 'null'],
      ['true', 'true'],
      ['an array', '["Rex"]'],
      ['an object', '{"toString":"Rex"}'],
      ['with a lone high surrogate', '"a\\ud800b"'],
      ['with a lone low surrogate', '"a\\udc00b"'],
      ['with surrogates the wrong way round', '"\\udc15\\ud83d"'],
      ...escapedControls.map((escaped): [string, string] => [`with ${escaped}`, `"a${escaped}b"`]),
    ])('a name that is %s is refused', async (_what, name) => {
      await expectRefused(`{"name":${name},"categoryId":1}`, /^name: expected 1 to 255 characters/);
    });

    test('a raw control character is no JSON', async () => {
      await expectRefused('{"name":"a\u0001b","categoryId":1}', /^body: /, 'invalid_json');
    });
  });

  describe('status', () => {
    test('is available when it was left out', async () => {
      const created = await create('{"name":"Rex","categoryId":1}');
      expect((created.body as Pet).status).toBe('available');
    });

    test('that was left out is found through the filter', async () => {
      const { body } = await create('{"name":"Findable","categoryId":1}');
      const available = await service.call('/pets?status=available&limit=100');
      expect(available.body).toContainEqual(body);
    });

    test.each(['null', '"lost"', '"Sold"', '""', '1', '["sold"]'])(
      '%s is refused',
      async (status) => {
        await expectRefused(
          `{"name":"Rex","categoryId":1,"status":${status}}`,
          /^status: expected one of available, pending, sold/,
        );
      },
    );
  });

  describe('creation', () => {
    test('answers with the animal alone, as it is then found', async () => {
      const created = await create('{"name":"Rex","categoryId":1,"status":"sold"}');
      expect(created.status).toBe(201);
      expect(created.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
      expectResponseHeaders(created);
      const { id } = created.body as Pet;
      expect(created.text).toBe(`{"id":${id},"name":"Rex","categoryId":1,"status":"sold"}`);
      expect((await service.call(`/pets/${id}`)).text).toBe(created.text);
    });

    test.each(['7', '"7"', 'null', '9007199254740993', '{}'])('ignores an id of %s', async (id) => {
      const before = await all();
      const created = await create(`{"id":${id},"name":"Rex","categoryId":1}`);
      expect(created.status).toBe(201);
      const pet = created.body as Pet;
      expect(before.map((known) => known.id)).not.toContain(pet.id);
      expect(await all()).toEqual([...before, pet]);
    });

    test('ignores unknown members, whatever they are called', async () => {
      const created = await create(
        '{"name":"Rex","categoryId":1,"__proto__":{"status":"sold"},"constructor":1,"createdAt":2,"price":"9.99"}',
      );
      expect(created.status).toBe(201);
      expect(created.body).toStrictEqual({
        id: expect.any(Number),
        name: 'Rex',
        categoryId: 1,
        status: 'available',
      });
    });

    test('does not take members from __proto__', async () => {
      await expectRefused('{"__proto__":{"name":"Rex","categoryId":1}}', /name: .*categoryId: /);
    });

    test('numbers are shown as they were sent, wherever they are', async () => {
      await expectRefused(
        '{"name":1e400,"categoryId":[1e400],"status":-0.0}',
        /^name: .*, got 1e400; categoryId: .*, got an array; status: .*, got -0\.0$/,
      );
      await expectRefused('1e400', /^body: .*, got 1e400$/);
    });

    test('names every fault of a body in one message', async () => {
      await expectRefused(
        '{"name":"","categoryId":"x","status":"lost"}',
        /^name: expected .*; categoryId: expected .*; status: expected one of available, pending, sold/,
      );
    });

    test.each(['[]', 'null', '"x"', '7', 'true', '[{"name":"Rex","categoryId":1}]'])(
      'refuses %s as a body',
      async (json) => {
        await expectRefused(json, /^body: expected a JSON object/);
      },
    );

    test('gives ids that rise', async () => {
      const ids: number[] = [];
      for (let i = 0; i < 5; i += 1) ids.push(((await createNamed('Rex')).body as Pet).id);
      expect(ids).toEqual([...ids].sort((a, b) => a - b));
    });

    test('gives every one of many concurrent creations an id of its own', async () => {
      const created = await Promise.all(Array.from({ length: 20 }, () => createNamed('Herd')));
      expect(created.map(({ status }) => status)).toEqual(created.map(() => 201));
      expect(new Set(created.map(({ body }) => (body as Pet).id)).size).toBe(20);
    });
  });

  describe('the list', () => {
    test('is ordered by id, ascending', async () => {
      const { body } = await service.call('/pets?limit=100');
      const ids = (body as Pet[]).map(({ id }) => id);
      expect(ids.length).toBeGreaterThan(50);
      expect(ids).toEqual([...ids].sort((a, b) => a - b));
    });

    test('ignores query parameters that it does not know', async () => {
      const known = await service.call('/pets?limit=2');
      const answer = await service.call('/pets?limit=2&offset=1&sort=name&__proto__=x&limit[]=9');
      expect(answer.status).toBe(200);
      expect(answer.text).toBe(known.text);
    });

    test.each([
      ['limit=0', /^limit: expected one integer from 1 to 100/],
      ['limit=101', /^limit: expected one integer from 1 to 100/],
      ['limit=-5', /^limit: /],
      ['limit=', /^limit: /],
      ['limit=1.0', /^limit: /],
      ['limit=1e1', /^limit: /],
      ['limit=0x10', /^limit: /],
      ['limit=%2B5', /^limit: /],
      ['limit=+5', /^limit: /],
      ['limit=5%0a', /^limit: /],
      ['limit=%D9%A5', /^limit: /],
      ['limit=5&limit=5', /^limit: /],
      ['status=sold&status=sold', /^status: expected one of available, pending, sold/],
      ['status=lost', /^status: expected one of available, pending, sold/],
      ['status=', /^status: /],
      ['limit=0&status=lost', /limit: .*; status: /],
    ])('?%s is refused', async (query, message) => {
      expectError(await service.call(`/pets?${query}`), 400, 'invalid_request', message);
    });

    test.each(['1', '100'])('limit=%s is allowed', async (limit) => {
      expect((await service.call(`/pets?limit=${limit}`)).status).toBe(200);
    });
  });

  describe('petId', () => {
    test.each([
      '0',
      '-1',
      '999999999',
      '9007199254740991',
      '9007199254740992',
      '9007199254740993',
      '9223372036854775807',
      '-9223372036854775807',
      '-9223372036854775808',
    ])('%s is an int64 without an animal', async (petId) => {
      expectError(await service.call(`/pets/${petId}`), 404, 'pet_not_found', new RegExp(petId));
    });

    test.each([
      '9223372036854775808',
      '-9223372036854775809',
      '99999999999999999999999999999999',
      '9'.repeat(2_000),
      '1.0',
      '1.5',
      '1e0',
      '0x1',
      '+1',
      '-0',
      '01',
      'one',
      'NaN',
      'null',
      '-',
      '%20',
      '1%20',
      '1%00',
      '%00',
      '%D9%A1',
      '1%2F2',
      '1,2',
      '1;2',
      '__proto__',
    ])('%s is no int64', async (petId) => {
      expectError(
        await service.call(`/pets/${petId}`),
        400,
        'invalid_request',
        /^petId: expected /,
      );
    });

    test('the message shows what was given', async () => {
      expectError(
        await service.call('/pets/9223372036854775808'),
        400,
        'invalid_request',
        /^petId: expected a 64-bit integer, got "9223372036854775808"$/,
      );
    });

    test.each(['%', '%f', '%ff', '%zz', '%c0%80', '%ed%a0%80'])(
      '%s is no percent-encoding of UTF-8',
      async (petId) => {
        expectError(await service.call(`/pets/${petId}`), 400, 'invalid_request');
      },
    );

    test('percent-encoded digits are digits', async () => {
      const { body, text } = await create('{"name":"Encoded","categoryId":1}');
      const encoded = [...String((body as Pet).id)].map((digit) => `%3${digit}`).join('');
      expect((await service.call(`/pets/${encoded}`)).text).toBe(text);
    });

    test('is never rounded to another animal', async () => {
      // 2^53 + 1, which a double rounds to 2^53; no animal can have either.
      expectError(await service.call('/pets/9007199254740993'), 404, 'pet_not_found', /740993/);
    });
  });
});
