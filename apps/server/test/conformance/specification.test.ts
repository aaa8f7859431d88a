import { beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../src/keys/key-management.ts';
import { createTestClock } from '../support/test-clock.ts';
import { useService } from '../support/test-service.ts';

// A client written from the specification alone: it knows a base address, an API key and JSON, and
// goes through the document from its first table to its last rule.

type Reply = { status: number; headers: Headers; text: string; json: unknown };
type Pet = { id: number; name: string; categoryId: number; status?: string };

const statuses = ['available', 'pending', 'sold'] as const;

/** Every operation that the document names, with a request that should succeed. */
const operations = [
  ['GET /pets', 'GET', '/pets', undefined, 200],
  ['POST /pets', 'POST', '/pets', { name: 'Rex', categoryId: 1 }, 201],
  ['GET /pets/{petId}', 'GET', '/pets/1', undefined, 200],
  ['GET /store/orders', 'GET', '/store/orders', undefined, 501],
] as const;

/** Keys of their own quota: three requests a day, and five a minute. */
const own = { threeADay: '', fiveAMinute: '' };

// It stands still, so no window ends.
const now = Math.floor(Date.now() / 1_000);
const clock = createTestClock(now * 1_000);

const service = useService('postgres', {
  clock,
  // Every request after a 429 counts as a repeated one at once.
  env: { BAN_GRACE_MS: '0', ADDRESS_PER_MINUTE: '1000000' },
  async prepare(db) {
    const create = async (perMinute: number, perDay: number) => {
      const quota = { perMinute, perDay };
      return (await createApiKey(db, { name: 'own', plan: 'enterprise', quota })).token;
    };
    own.threeADay = await create(100, 3);
    own.fiveAMinute = await create(5, 100);
  },
});
beforeAll(async () => {
  // Forty-five of each status, and the pet with the id 1 among them.
  await Promise.all(
    Array.from({ length: 135 }, (_, i) =>
      create({ name: `${i}`, categoryId: i, status: statuses[i % 3] }),
    ),
  );
  await exhaust(own.threeADay, 4);
});

async function request(
  method: string,
  path: string,
  body?: unknown,
  key: string | null = service.tokens.enterprise,
): Promise<Reply> {
  const json = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  const options = { method, token: key, ...(json !== undefined && { json }) };
  const { status, headers, text, body: answered } = await service.call(path, options);
  return { status, headers, text, json: answered };
}

const create = (body: unknown) => request('POST', '/pets', body);
const get = (path: string, key?: string | null) => request('GET', path, undefined, key);
const list = async (query = '') => (await get(`/pets${query}`)).json as Pet[];

/** Sends so many requests at once. */
const exhaust = (key: string, times: number): Promise<Reply[]> =>
  Promise.all(Array.from({ length: times }, () => get('/pets?limit=1', key)));

function expectError(reply: Reply, status: number) {
  expect(reply.status).toBe(status);
  expect(reply.headers.get('Content-Type')).toMatch(/^application\/json\b/);
  expect(reply.json).toStrictEqual({
    code: expect.any(String),
    message: expect.any(String),
    status,
  });
}

test('the base address ends with /v1, and bodies are JSON', async () => {
  expect(service.server.baseUrl).toMatch(/^http:\/\/[^/]+\/v1$/);
  expect((await get('/pets')).headers.get('Content-Type')).toMatch(/^application\/json\b/);
});

describe('resources', () => {
  test('a Pet has an integer id that the service assigns, a name, a categoryId and a status', async () => {
    const body = { name: 'Bella', categoryId: 7, status: 'pending' };
    const first = (await create(body)).json as Pet;
    expect(first).toStrictEqual({ id: expect.any(Number), ...body });
    expect(((await create(body)).json as Pet).id).not.toBe(first.id);
    for (const { id } of await list('?limit=100')) expect(id).toSatisfy(Number.isSafeInteger);
  });

  test.each(['9007199254740993', '-9223372036854775808', '9223372036854775807'])(
    'categoryId has the format int64: %s comes back exactly',
    async (categoryId) => {
      const created = await create(`{"name":"Wide","categoryId":${categoryId}}`);
      expect(created.status).toBe(201);
      expect(created.text).toContain(`"categoryId":${categoryId},`);
      const { text } = await get(`/pets/${(created.json as Pet).id}`);
      expect(text).toContain(`"categoryId":${categoryId},`);
    },
  );

  test('NewPet needs no id and no status', async () => {
    expect((await create({ name: 'Max', categoryId: 1 })).status).toBe(201);
  });

  test.each(statuses)('PetStatus allows %s, and an animal stays so', async (status) => {
    const created = await create({ name: 'Max', categoryId: 1, status });
    expect(created).toMatchObject({ status: 201, json: { status } });
    await list('?limit=100');
    const { id } = created.json as Pet;
    expect((await get(`/pets/${id}`)).json).toMatchObject({ status });
  });

  test.each(['Available', 'AVAILABLE', 'reserved', '', ' sold', 'sold '])(
    'PetStatus does not allow %j',
    async (status) => {
      expectError(await create({ name: 'Max', categoryId: 1, status }), 400);
    },
  );

  test('Pets is a bare JSON array', async () => {
    expect(await list()).toBeInstanceOf(Array);
  });
});

describe.each(operations)('%s', (_name, method, path, body, status) => {
  test('is there, with the three headers of the limit', async () => {
    const reply = await request(method, path, body);
    expect(reply.status).toBe(status);
    expect(reply.headers.get('X-RateLimit-Limit')).toBe('1000000');
    expect(reply.headers.get('X-RateLimit-Remaining')).toMatch(/^\d+$/);
    expect(reply.headers.get('X-RateLimit-Reset')).toMatch(/^\d{10}$/);
  });

  test.each([
    ['missing', null],
    ['invalid', 'ast_invalid'],
  ])('answers 401 with an Error to a key that is %s', async (_fault, key) => {
    expectError(await request(method, path, body, key), 401);
  });

  test('answers 429 over the limit', async () => {
    expectError(await request(method, path, body, own.threeADay), 429);
  });
});

describe('GET /pets', () => {
  test.each([1, 3, 100])('limit, here %d, is the number of animals returned', async (limit) => {
    expect(await list(`?limit=${limit}`)).toHaveLength(limit);
  });

  test.each(['0', '101', '-1', '1.5', 'ten', '', '1e1', '0x10', '%205', '99999999999999999999'])(
    'limit may not be %j',
    async (limit) => {
      expectError(await get(`/pets?limit=${limit}`), 400);
    },
  );

  test.each(statuses)(
    'status %s returns only animals with that status (rule 1)',
    async (status) => {
      const pets = await list(`?status=${status}&limit=40`);
      expect(pets.map((pet) => pet.status)).toEqual(Array.from({ length: 40 }, () => status));
    },
  );

  test.each(['lost', '', 'Available', 'sold,pending'])('status may not be %j', async (status) => {
    expectError(await get(`/pets?status=${status}`), 400);
  });

  test('without status, animals of every status are returned', async () => {
    const pets = await list('?limit=100');
    expect(new Set(pets.map((pet) => pet.status))).toEqual(new Set(statuses));
  });

  test.each(['', '?status=sold'])('%s without limit returns 20 animals (rule 2)', async (query) => {
    expect(await list(query)).toHaveLength(20);
  });

  // The document leaves pagination open (rule 3): this goes by RFC 8288.
  test('an animal that was added is on one page of the list', async () => {
    const { json: created } = await create({ name: 'Listed', categoryId: 1 });
    const pets: Pet[] = [];
    for (let next: string | undefined = '/pets?limit=100'; next !== undefined; ) {
      const { json, headers } = await get(next);
      pets.push(...(json as Pet[]));
      const link = /<([^>]+)>;\s*rel="?next"?/.exec(headers.get('Link') ?? '')?.[1];
      next = link?.slice(link.indexOf('/pets'));
    }
    expect(pets.filter(({ name }) => name === 'Listed')).toEqual([created]);
  });
});

describe('POST /pets', () => {
  test('answers 201 with the animal and its assigned id (rule 3)', async () => {
    const body = { name: 'Luna', categoryId: 2, status: 'sold' };
    const { status, json } = await create(body);
    expect(status).toBe(201);
    expect(json).toStrictEqual({ id: expect.any(Number), ...body });
  });

  test.each([
    ['no name (rule 1)', { categoryId: 1 }],
    ['no categoryId (rule 1)', { name: 'Rex' }],
    ['neither (rule 1)', {}],
    ['a status outside the enumeration (rule 2)', { name: 'Rex', categoryId: 1, status: 'lost' }],
    ['a status that is null (rule 2)', { name: 'Rex', categoryId: 1, status: null }],
    ['a name that is a number (rule 2)', { name: 7, categoryId: 1 }],
    ['a name that is null (rule 2)', { name: null, categoryId: 1 }],
    ['a name that is empty (rule 2)', { name: '', categoryId: 1 }],
    ['a categoryId that is a string (rule 2)', { name: 'Rex', categoryId: '1' }],
    ['a categoryId that is a fraction (rule 2)', { name: 'Rex', categoryId: 1.5 }],
    ['a categoryId that is null (rule 2)', { name: 'Rex', categoryId: null }],
    ['a categoryId beyond int64 (rule 2)', { name: 'Rex', categoryId: 1e19 }],
  ])('%s is answered with 400', async (_fault, body) => {
    expectError(await create(body), 400);
  });
});

describe('GET /pets/{petId}', () => {
  test('returns the animal', async () => {
    const created = await create({ name: 'Milo', categoryId: 3 });
    const { status, json } = await get(`/pets/${(created.json as Pet).id}`);
    expect([status, json]).toEqual([200, created.json]);
  });

  test('answers 404 when the animal could not be found', async () => {
    expectError(await get('/pets/9223372036854775807'), 404);
  });

  test.each(['one', '1.5', '9223372036854775808'])(
    'petId is an int64, so %s is not one',
    async (petId) => {
      expectError(await get(`/pets/${petId}`), 400);
    },
  );

  test('says that it is deprecated and goes on 5 December 2030 (rule 1)', async () => {
    const { headers } = await get('/pets/1');
    expect(headers.get('Deprecation')).toMatch(/^@\d+$/);
    expect(headers.get('Sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
  });

  test('its replacement finds the same animal by status (rule 2)', async () => {
    const pet = (await get('/pets/1')).json as Pet;
    expect(await list(`?status=${pet.status}`)).toContainEqual(pet);
  });
});

describe('limits', () => {
  test.each([
    ['Free', 'free', 60, 1_000],
    ['Pro', 'pro', 300, 10_000],
    ['Business', 'business', 1_000, 100_000],
  ] as const)('%s has %s requests per minute and per day', async (_name, plan, minute, day) => {
    const replies = await exhaust(service.tokens[plan], minute + 5);
    expect(replies.filter(({ status }) => status !== 429)).toHaveLength(minute);
    for (const { headers } of replies) {
      expect(headers.get('X-RateLimit-Limit')).toBe(String(minute));
      const policy = `"minute";q=${minute};w=60, "day";q=${day};w=86400`;
      expect(headers.get('RateLimit-Policy')).toBe(policy);
    }
  });

  test('Enterprise has numbers of its own, per minute and per day', async () => {
    expect((await get('/pets', own.fiveAMinute)).headers.get('X-RateLimit-Limit')).toBe('5');
    expect((await get('/pets', own.threeADay)).headers.get('X-RateLimit-Limit')).toBe('3');
  });

  test('Remaining falls by one with each request', async () => {
    const remaining = async () => Number((await get('/pets')).headers.get('X-RateLimit-Remaining'));
    expect((await remaining()) - (await remaining())).toBe(1);
  });

  test('Reset is a Unix time in seconds, of the end of the minute', async () => {
    const reset = Number((await get('/pets')).headers.get('X-RateLimit-Reset'));
    expect(reset).toBeGreaterThan(now);
    expect(reset).toBeLessThanOrEqual(now + 60);
  });

  test('a 429 tells to retry when the limit resets (rules 1 and 2)', async () => {
    const reply = await get('/pets', own.threeADay);
    expectError(reply, 429);
    const retryAfter = Number(reply.headers.get('Retry-After'));
    expect(retryAfter).toBe(Number(reply.headers.get('X-RateLimit-Reset')) - now);
    expect(retryAfter).toBeGreaterThan(60);
  });

  test('repeated requests after a 429 lead to a temporary ban (rule 3)', async () => {
    await exhaust(own.fiveAMinute, 40);
    const reply = await get('/pets', own.fiveAMinute);
    expectError(reply, 429);
    expect(reply.json).toMatchObject({ code: 'key_temporarily_banned' });
  });
});

describe('versioning', () => {
  test.each(['', '/v2'])('the version is in the path: %j/pets is not there', async (version) => {
    const headers = { Authorization: `Bearer ${service.tokens.enterprise}` };
    const { status } = await fetch(`${service.server.origin}${version}/pets`, { headers });
    expect(status).toBe(404);
  });

  test('GET /pets/{petId} is the one deprecated operation (rule 2)', async () => {
    expect((await get('/pets/1')).headers.has('Deprecation')).toBe(true);
    expect((await get('/pets')).headers.has('Deprecation')).toBe(false);
    expect((await create({ name: 'Rex', categoryId: 1 })).headers.has('Deprecation')).toBe(false);
  });
});
