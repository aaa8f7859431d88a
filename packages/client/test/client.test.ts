import { expect, test } from 'vitest';
import { createClient } from '../src/client.ts';
import { answer, startScriptedServer } from './scripted-server.ts';

const apiKey = 'ast_0123456789abcdefghijABCDEFGHIJ012345';
const cat = '{"id":1,"name":"Mia","categoryId":3,"status":"available"}';

/** What Node's own `fetch` adds to every request. */
const added = [
  'accept-encoding',
  'accept-language',
  'connection',
  'content-length',
  'host',
  'sec-fetch-mode',
  'user-agent',
];

function ownHeaders(headers: object) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !added.includes(name)));
}

test('listPets sends a bare GET and gives back the animals', async () => {
  await using server = await startScriptedServer(answer(200, `[${cat}]`));
  const store = createClient({ baseUrl: server.baseUrl, apiKey });

  await expect(store.listPets()).resolves.toEqual({
    pets: [{ id: 1, name: 'Mia', categoryId: 3, status: 'available' }],
    nextCursor: undefined,
    resumeCursor: '~1~',
  });

  expect(server.requests).toHaveLength(1);
  expect(server.requests[0]?.line).toBe('GET /v1/pets');
  expect(server.requests[0]?.body).toBe('');
  expect(ownHeaders(server.requests[0]?.headers ?? {})).toEqual({
    accept: 'application/json',
    authorization: `Bearer ${apiKey}`,
  });
});

test('listPets sends the members of its query that are defined', async () => {
  await using server = await startScriptedServer(answer(200, '[]'));
  const store = createClient({ baseUrl: `${server.baseUrl}/`, apiKey });

  const empty = { pets: [], nextCursor: undefined };
  const query = { limit: 50, status: 'sold', cursor: 'a+b/c=&d' } as const;
  await expect(store.listPets(query)).resolves.toMatchObject(empty);
  await expect(store.listPets({ limit: undefined, status: undefined })).resolves.toMatchObject(
    empty,
  );

  expect(server.requests.map(({ line }) => line)).toEqual([
    'GET /v1/pets?limit=50&status=sold&cursor=a%2Bb%2Fc%3D%26d',
    'GET /v1/pets',
  ]);
});

test('createPet sends the animal as JSON', async () => {
  await using server = await startScriptedServer(answer(201, cat));
  const store = createClient({ baseUrl: server.baseUrl, apiKey });

  await expect(
    store.createPet({ name: 'Mia "äö" 🐈', categoryId: 3, status: undefined }),
  ).resolves.toEqual({ id: 1, name: 'Mia', categoryId: 3, status: 'available' });

  expect(server.requests[0]?.line).toBe('POST /v1/pets');
  expect(server.requests[0]?.body).toBe('{"name":"Mia \\"äö\\" 🐈","categoryId":3}');
  expect(ownHeaders(server.requests[0]?.headers ?? {})).toEqual({
    accept: 'application/json',
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'idempotency-key': expect.any(String),
  });
});

test('createPet sends the idempotency key that it is given, or one of its own', async () => {
  await using server = await startScriptedServer(answer(201, cat));
  const store = createClient({ baseUrl: server.baseUrl, apiKey });

  await store.createPet({ name: 'Mia', categoryId: 3 }, { idempotencyKey: 'once-1' });
  await store.createPet({ name: 'Mia', categoryId: 3 }, { idempotencyKey: undefined });
  await store.createPet({ name: 'Mia', categoryId: 3 });

  const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys[0]).toBe('once-1');
  expect(keys[1]).toMatch(/^\d{1,10}(?:-\d{1,10}){3}$/);
  expect(new Set(keys).size).toBe(3);
});

test('getPet puts the id into the path', async () => {
  await using server = await startScriptedServer(answer(200, cat));
  const store = createClient({ baseUrl: server.baseUrl, apiKey });

  await expect(store.getPet(1)).resolves.toMatchObject({ id: 1, name: 'Mia' });
  await store.getPet(-9223372036854775808n);

  expect(server.requests.map(({ line }) => line)).toEqual([
    'GET /v1/pets/1',
    'GET /v1/pets/-9223372036854775808',
  ]);
  expect(ownHeaders(server.requests[0]?.headers ?? {})).toEqual({
    accept: 'application/json',
    authorization: `Bearer ${apiKey}`,
  });
});

test.each([
  9007199254740993n,
  -9223372036854775808n,
  9223372036854775807n,
  Number.MAX_SAFE_INTEGER,
])('categoryId %s goes out and comes back exactly', async (categoryId) => {
  await using server = await startScriptedServer((response, request) => {
    const { body } = request;
    answer(201, body.replace('{', '{"id":7,'))(response, request);
  });
  const store = createClient({ baseUrl: server.baseUrl, apiKey });

  await expect(store.createPet({ name: 'Mia', categoryId })).resolves.toEqual({
    id: 7,
    name: 'Mia',
    categoryId,
  });
  expect(server.requests[0]?.body).toBe(`{"name":"Mia","categoryId":${categoryId}}`);
});

test('listPets gets given animals, exactly', async () => {
  await using server = await startScriptedServer(answer(200, `[${cat}]`));
  const store = createClient({ baseUrl: server.baseUrl, apiKey });

  const { pets, nextCursor } = await store.listPets({
    ids: [5, 11, 9007199254740993n],
    categoryId: -9223372036854775808n,
  });
  expect({ pets, nextCursor }).toMatchObject({ pets: [{ id: 1 }], nextCursor: undefined });
  const target = new URL(server.requests[0]?.line.split(' ')[1] ?? '', server.baseUrl);
  expect([...target.searchParams]).toEqual([
    ['ids', '5,11,9007199254740993'],
    ['categoryId', '-9223372036854775808'],
  ]);
});

test('a number that was rounded before it came here is refused, and nothing is sent', async () => {
  await using server = await startScriptedServer(answer(200, cat));
  const store = createClient({ baseUrl: server.baseUrl, apiKey });

  await expect(store.createPet({ name: 'Mia', categoryId: 2 ** 53 })).rejects.toThrow(
    new TypeError('categoryId: 9007199254740992 is not exact, use a bigint'),
  );
  await expect(store.getPet(-(2 ** 60))).rejects.toThrow(TypeError);
  await expect(store.listPets({ ids: [1, 2 ** 53] })).rejects.toThrow(
    new TypeError('ids: 9007199254740992 is not exact, use a bigint'),
  );
  await expect(store.listPets({ categoryId: 2 ** 53 })).rejects.toThrow(TypeError);
  await expect(store.getPet('' as unknown as number)).rejects.toThrow(
    new TypeError('id: expected an integer'),
  );
  expect(server.requests).toEqual([]);
});

test('the headers of a call are sent, but do not replace those of the client', async () => {
  await using server = await startScriptedServer(answer(201, cat));
  const store = createClient({ baseUrl: server.baseUrl, apiKey });

  await store.createPet(
    { name: 'Mia', categoryId: 3 },
    {
      headers: { 'X-Trace': 'a1', authorization: 'Bearer other', 'content-type': 'text/plain' },
      idempotencyKey: 'once-1',
    },
  );

  expect(ownHeaders(server.requests[0]?.headers ?? {})).toEqual({
    accept: 'application/json',
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'idempotency-key': 'once-1',
    'x-trace': 'a1',
  });
});

test('a fetch of the caller is used in place of the global one', async () => {
  const calls: string[] = [];
  const store = createClient({
    baseUrl: 'https://store.example/v1',
    apiKey,
    fetch: async (url, init) => {
      calls.push(`${init.method} ${url}`);
      return new Response(`[${cat}]`);
    },
  });

  expect((await store.listPets({ limit: 1 })).pets).toHaveLength(1);
  expect(calls).toEqual(['GET https://store.example/v1/pets?limit=1']);
});

test('members and statuses that a newer service adds are passed on', async () => {
  await using server = await startScriptedServer(
    answer(200, '[{"id":1,"name":"Mia","categoryId":3,"status":"reserved","chip":"x1"}]'),
  );
  const store = createClient({ baseUrl: server.baseUrl, apiKey });

  expect((await store.listPets()).pets).toEqual([
    { id: 1, name: 'Mia', categoryId: 3, status: 'reserved', chip: 'x1' },
  ]);
});

test('a deprecation is told to the handler', async () => {
  await using server = await startScriptedServer(
    answer(200, cat, { Deprecation: '@1795219200', Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' }),
  );
  const operations: string[] = [];
  const store = createClient({
    baseUrl: server.baseUrl,
    apiKey,
    onDeprecation: ({ operation }) => operations.push(operation),
  });
  await store.getPet(1);
  await store.getPet(1);
  expect(operations).toEqual(['getPet']);
});

test('a client that cannot work is not made', () => {
  const baseUrl = 'https://store.example/v1';
  expect(() => createClient({ baseUrl, apiKey: 'two words' })).toThrow(TypeError);
  expect(() => createClient({ baseUrl: 'store.example', apiKey })).toThrow(TypeError);
});
