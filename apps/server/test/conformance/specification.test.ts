import { until } from '@animal-store/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../src/keys/key-management.ts';
import { kindsOfThisRun } from '../support/databases.ts';
import { useService } from '../support/test-service.ts';

// A client written from the specification alone: it knows a base address, an API key and JSON, and
// goes through the document from its first table to its last rule.

type Reply = { status: number; headers: Headers; json: unknown };
type Pet = { id: number; name: string; categoryId: number; status?: string };

const statuses = ['available', 'pending', 'sold'] as const;

/** Every operation that the document names, with a request that should succeed. */
const operations = [
  ['GET /pets', 'GET', '/pets', undefined, 200],
  ['POST /pets', 'POST', '/pets', { name: 'Rex', categoryId: 1 }, 201],
  ['GET /pets/{petId}', 'GET', '/pets/1', undefined, 200],
  ['GET /store/orders', 'GET', '/store/orders', undefined, 501],
] as const;

describe.each(kindsOfThisRun)('the specification on %s', (kind) => {
  /** Keys of their own quota: three requests a day, and five a minute. */
  const own = { threeADay: '', fiveAMinute: '' };

  const service = useService(kind, {
    // Every request after a 429 counts as a repeated one at once.
    env: { BAN_GRACE_MS: '0' },
    async prepare(db) {
      const create = async (perMinute: number, perDay: number) =>
        (
          await createApiKey(db, {
            name: 'own',
            plan: 'enterprise',
            quota: { perMinute, perDay },
          })
        ).token;
      own.threeADay = await create(100, 3);
      own.fiveAMinute = await create(5, 100);
    },
  });
  beforeAll(async () => {
    // Forty-five of each status, and the pet with the id 1 among them.
    for (let i = 0; i < 45; i += 1) {
      await Promise.all(
        statuses.map((status) => request('POST', '/pets', { name: `${i}`, categoryId: i, status })),
      );
    }
  });

  async function request(
    method: string,
    path: string,
    body?: unknown,
    key: string | null = service.tokens.enterprise,
  ): Promise<Reply> {
    const answer = await service.call(path, {
      method,
      token: key,
      ...(body !== undefined && { json: JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, json: answer.body };
  }

  /** Sends so many requests at once. */
  const exhaust = (key: string, times: number): Promise<Reply[]> =>
    Promise.all(
      Array.from({ length: times }, () => request('GET', '/pets?limit=1', undefined, key)),
    );

  function expectError(reply: Reply, status: number) {
    expect(reply.status).toBe(status);
    expect(reply.headers.get('Content-Type')).toMatch(/^application\/json\b/);
    expect(reply.json).toStrictEqual({
      code: expect.stringMatching(/./),
      message: expect.stringMatching(/./),
      status,
    });
  }

  const create = (body: unknown) => request('POST', '/pets', body);
  const list = async (query = '') => (await request('GET', `/pets${query}`)).json as Pet[];

  describe('what the service does', () => {
    test('bodies are JSON', async () => {
      const reply = await request('GET', '/pets');
      expect(reply.headers.get('Content-Type')).toMatch(/^application\/json\b/);
    });

    test('the base address ends with /v1', () => {
      expect(service.server.baseUrl).toMatch(/^http:\/\/[^/]+\/v1$/);
    });
  });

  describe('resources: Pet', () => {
    let pet: Pet;
    beforeAll(async () => {
      pet = (await create({ name: 'Bella', categoryId: 7, status: 'pending' })).json as Pet;
    });

    test('id is an integer that is always in responses', async () => {
      expect(pet.id).toSatisfy(Number.isSafeInteger);
      for (const { id } of await list('?limit=100')) expect(id).toSatisfy(Number.isSafeInteger);
    });

    test('id is assigned by the service on creation', async () => {
      const other = (await create({ name: 'Bella', categoryId: 7 })).json as Pet;
      expect(other.id).not.toBe(pet.id);
    });

    test('name is a string', () => {
      expect(pet.name).toBe('Bella');
    });

    test('categoryId is an integer', () => {
      expect(pet.categoryId).toBe(7);
    });

    test.each(['9007199254740993', '-9223372036854775808', '9223372036854775807'])(
      'categoryId has the format int64: %s comes back exactly',
      async (categoryId) => {
        const created = await service.call('/pets', {
          json: `{"name":"Wide","categoryId":${categoryId}}`,
        });
        expect(created.status).toBe(201);
        expect(created.text).toContain(`"categoryId":${categoryId},`);
        const { id } = created.body as Pet;
        expect((await service.call(`/pets/${id}`)).text).toContain(`"categoryId":${categoryId},`);
      },
    );

    test('status is one of PetStatus', () => {
      expect(pet.status).toBe('pending');
    });

    test('nothing else is in it', () => {
      expect(Object.keys(pet).sort()).toEqual(['categoryId', 'id', 'name', 'status']);
    });
  });

  describe('resources: NewPet, PetStatus, Pets, Error', () => {
    test('NewPet needs no id and no status', async () => {
      expect((await create({ name: 'Max', categoryId: 1 })).status).toBe(201);
    });

    test.each(statuses)('PetStatus allows %s', async (status) => {
      const reply = await create({ name: 'Max', categoryId: 1, status });
      expect(reply.status).toBe(201);
      expect((reply.json as Pet).status).toBe(status);
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

    test('Error has code, message and the status of the response', async () => {
      expectError(await request('GET', '/pets/999999999'), 404);
    });
  });

  describe('states', () => {
    test.each(statuses)('an animal created as %s stays %s', async (status) => {
      const { id } = (await create({ name: 'Still', categoryId: 1, status })).json as Pet;
      await list('?limit=100');
      expect(((await request('GET', `/pets/${id}`)).json as Pet).status).toBe(status);
    });
  });

  describe('endpoints', () => {
    test.each(operations)('%s is there', async (_name, method, path, body, status) => {
      expect((await request(method, path, body)).status).toBe(status);
    });

    test.each(operations)('%s answers 401 without a key', async (_name, method, path, body) => {
      expectError(await request(method, path, body, null), 401);
    });

    test.each(operations)('%s answers 429 over the limit', async (_name, method, path, body) => {
      await exhaust(own.threeADay, 4);
      expectError(await request(method, path, body, own.threeADay), 429);
    });
  });

  describe('GET /pets', () => {
    test('limit is the greatest number of animals returned', async () => {
      expect(await list('?limit=3')).toHaveLength(3);
    });

    test('limit may be 1', async () => {
      expect(await list('?limit=1')).toHaveLength(1);
    });

    test('limit may be 100', async () => {
      expect(await list('?limit=100')).toHaveLength(100);
    });

    test.each(['0', '101', '-1', '1.5', 'ten', '', '1e1', '0x10', '%205', '99999999999999999999'])(
      'limit may not be %j',
      async (limit) => {
        expectError(await request('GET', `/pets?limit=${limit}`), 400);
      },
    );

    test.each(statuses)(
      'status %s returns only animals with that status (rule 1)',
      async (status) => {
        const pets = await list(`?status=${status}&limit=40`);
        expect(pets).toHaveLength(40);
        expect(new Set(pets.map((pet) => pet.status))).toEqual(new Set([status]));
      },
    );

    test.each(['lost', '', 'Available', 'sold,pending'])('status may not be %j', async (status) => {
      expectError(await request('GET', `/pets?status=${status}`), 400);
    });

    test('without status, animals of every status are returned', async () => {
      const pets = await list('?limit=100');
      expect(new Set(pets.map((pet) => pet.status))).toEqual(new Set(statuses));
    });

    test('without limit, 20 animals are returned (rule 2)', async () => {
      expect(await list()).toHaveLength(20);
    });

    test('without limit, a filtered list has 20 animals, too', async () => {
      expect(await list('?status=sold')).toHaveLength(20);
    });

    test('an animal that was added is listed', async () => {
      const created = (await create({ name: 'Listed', categoryId: 1 })).json as Pet;
      const position = await service.call(`/pets?limit=100`);
      expect(position.status).toBe(200);
      const all = await walk();
      expect(all.filter(({ id }) => id === created.id)).toEqual([created]);
    });

    /** The document leaves pagination open (rule 3): this goes by RFC 8288. */
    async function walk(): Promise<Pet[]> {
      const pets: Pet[] = [];
      let next: string | undefined = '/pets?limit=100';
      while (next !== undefined) {
        const { json, headers } = await request('GET', next);
        pets.push(...(json as Pet[]));
        const link = /<([^>]+)>;\s*rel="?next"?/.exec(headers.get('Link') ?? '')?.[1];
        next = link?.slice(link.indexOf('/pets'));
      }
      return pets;
    }
  });

  describe('POST /pets', () => {
    test('answers 201 with the animal and its assigned id (rule 3)', async () => {
      const reply = await create({ name: 'Luna', categoryId: 2, status: 'sold' });
      expect(reply.status).toBe(201);
      expect(reply.json).toStrictEqual({
        id: expect.any(Number),
        name: 'Luna',
        categoryId: 2,
        status: 'sold',
      });
    });

    test.each([
      ['name', { categoryId: 1 }],
      ['categoryId', { name: 'Rex' }],
      ['both', {}],
    ])('without %s the answer is 400 (rule 1)', async (_missing, body) => {
      expectError(await create(body), 400);
    });

    test.each([
      ['a status outside the enumeration', { name: 'Rex', categoryId: 1, status: 'lost' }],
      ['a status that is null', { name: 'Rex', categoryId: 1, status: null }],
      ['a name that is a number', { name: 7, categoryId: 1 }],
      ['a name that is null', { name: null, categoryId: 1 }],
      ['a name that is empty', { name: '', categoryId: 1 }],
      ['a categoryId that is a string', { name: 'Rex', categoryId: '1' }],
      ['a categoryId that is a fraction', { name: 'Rex', categoryId: 1.5 }],
      ['a categoryId that is null', { name: 'Rex', categoryId: null }],
      ['a categoryId beyond int64', { name: 'Rex', categoryId: 1e19 }],
    ])('%s is answered with 400 (rule 2)', async (_fault, body) => {
      expectError(await create(body), 400);
    });
  });

  describe('GET /pets/{petId}', () => {
    test('returns the animal', async () => {
      const created = await create({ name: 'Milo', categoryId: 3 });
      const { id } = created.json as Pet;
      const found = await request('GET', `/pets/${id}`);
      expect(found.status).toBe(200);
      expect(found.json).toStrictEqual(created.json);
    });

    test('answers 404 when the animal could not be found', async () => {
      expectError(await request('GET', '/pets/9223372036854775807'), 404);
    });

    test.each(['one', '1.5', '9223372036854775808'])(
      'petId is an int64, so %s is not one',
      async (petId) => {
        expectError(await request('GET', `/pets/${petId}`), 400);
      },
    );

    test('says that it is deprecated and goes on 5 December 2030 (rule 1)', async () => {
      const { headers } = await request('GET', '/pets/1');
      expect(headers.get('Deprecation')).toMatch(/^@\d+$/);
      expect(headers.get('Sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
    });

    test('its replacement finds the same animal by status (rule 2)', async () => {
      const { json } = await request('GET', '/pets/1');
      const pet = json as Pet;
      expect(await list(`?status=${pet.status}`)).toContainEqual(pet);
    });
  });

  describe('authentication', () => {
    test('the key is the bearer token of the Authorization header (rule 1)', async () => {
      expect((await request('GET', '/pets')).status).toBe(200);
    });

    test.each(operations)(
      'the scheme applies to %s (rule 2)',
      async (_name, method, path, body) => {
        expectError(await request(method, path, body, null), 401);
      },
    );

    test.each([
      ['missing', null],
      ['invalid', 'ast_invalid'],
    ])('a key that is %s is answered with 401 and an Error (rule 3)', async (_fault, key) => {
      expectError(await request('GET', '/pets', undefined, key), 401);
    });
  });

  describe('errors', () => {
    test.each([
      ['400', 'POST', '/pets', {}],
      ['404', 'GET', '/pets/999999999', undefined],
    ] as const)('%s has the Error shape', async (status, method, path, body) => {
      expectError(await request(method, path, body), Number(status));
    });

    test('401 has the Error shape', async () => {
      expectError(await request('GET', '/pets', undefined, null), 401);
    });

    test('429 has the Error shape and tells when to retry', async () => {
      await exhaust(own.threeADay, 4);
      const reply = await request('GET', '/pets', undefined, own.threeADay);
      expectError(reply, 429);
      expect(Number(reply.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    });
  });

  describe('limits', () => {
    test.each([
      ['Free', 'free', 60, 1_000],
      ['Pro', 'pro', 300, 10_000],
      ['Business', 'business', 1_000, 100_000],
    ] as const)('%s has %s requests per minute and per day', async (_name, plan, minute, day) => {
      const replies = await exhaust(service.tokens[plan], minute + 5);
      // A slow machine may need more than one minute.
      const minutes = Map.groupBy(replies, ({ headers }) => headers.get('X-RateLimit-Reset'));
      for (const sent of minutes.values()) {
        const admitted = sent.filter(({ status }) => status !== 429);
        expect(admitted).toHaveLength(Math.min(sent.length, minute));
      }
      for (const { headers } of replies) {
        expect(headers.get('X-RateLimit-Limit')).toBe(String(minute));
        expect(headers.get('RateLimit-Policy')).toBe(
          `"minute";q=${minute};w=60, "day";q=${day};w=86400`,
        );
      }
    });

    test('Enterprise has numbers of its own, per minute', async () => {
      const { headers } = await request('GET', '/pets', undefined, own.fiveAMinute);
      expect(headers.get('X-RateLimit-Limit')).toBe('5');
    });

    test('Enterprise has numbers of its own, per day', async () => {
      await exhaust(own.threeADay, 4);
      const { headers } = await request('GET', '/pets', undefined, own.threeADay);
      expect(headers.get('X-RateLimit-Limit')).toBe('3');
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(60);
    });

    test.each(operations)('%s carries the three headers', async (_name, method, path, body) => {
      const { headers } = await request(method, path, body);
      expect(headers.get('X-RateLimit-Limit')).toBe('1000000');
      expect(headers.get('X-RateLimit-Remaining')).toMatch(/^\d+$/);
      expect(headers.get('X-RateLimit-Reset')).toMatch(/^\d{10}$/);
    });

    test('Remaining falls by one with each request', async () => {
      const remaining = async () =>
        Number((await request('GET', '/pets')).headers.get('X-RateLimit-Remaining'));
      // Again if the minute ends in between.
      await until(async () => (await remaining()) - (await remaining()) === 1);
    });

    test('Reset is a Unix time in seconds, within a minute of the answer', async () => {
      const { headers } = await request('GET', '/pets');
      const now = Date.parse(headers.get('Date') ?? '') / 1_000;
      const reset = Number(headers.get('X-RateLimit-Reset'));
      expect(reset).toBeGreaterThanOrEqual(now);
      expect(reset).toBeLessThanOrEqual(now + 61);
    });

    test('a request beyond the limit is answered with 429 (rule 1)', async () => {
      await exhaust(own.threeADay, 4);
      expectError(await request('GET', '/pets', undefined, own.threeADay), 429);
    });

    test('Retry-After is when the limit resets (rule 2)', async () => {
      await exhaust(own.threeADay, 4);
      // Again if the response was written long after the decision.
      await until(async () => {
        const { headers } = await request('GET', '/pets', undefined, own.threeADay);
        const now = Date.parse(headers.get('Date') ?? '') / 1_000;
        const reset = Number(headers.get('X-RateLimit-Reset'));
        return Math.abs(now + Number(headers.get('Retry-After')) - reset) <= 1;
      });
    });

    test('repeated requests after a 429 lead to a temporary ban (rule 3)', async () => {
      await exhaust(own.fiveAMinute, 40);
      const reply = await request('GET', '/pets', undefined, own.fiveAMinute);
      expectError(reply, 429);
      expect(reply.json).toMatchObject({ code: 'key_temporarily_banned' });
    });
  });

  describe('versioning', () => {
    test.each(['', '/v2'])('the version is in the path: %j/pets is not there', async (version) => {
      const response = await fetch(`${service.server.origin}${version}/pets`, {
        headers: { Authorization: `Bearer ${service.tokens.enterprise}` },
      });
      expect(response.status).toBe(404);
    });

    test('GET /pets/{petId} is the one deprecated operation (rule 2)', async () => {
      expect((await request('GET', '/pets/1')).headers.has('Deprecation')).toBe(true);
      expect((await request('GET', '/pets')).headers.has('Deprecation')).toBe(false);
      expect((await create({ name: 'Rex', categoryId: 1 })).headers.has('Deprecation')).toBe(false);
    });
  });
});
