import { describe, expect, test, vi } from 'vitest';
import { createClient, isApiError } from '../src/index.ts';
import { createTestService } from '../src/testing/index.ts';
import { rejection } from './rejection.ts';

// These tests examine the test service alone. `process/real-service.test.ts` compares it with the
// real service.

const mia = { name: 'Mia', categoryId: 3 };

describe('the test service', () => {
  test('the test service returns animals in pages, adds new animals, and lists the received requests', async () => {
    const service = createTestService({ pets: Array.from({ length: 150 }, () => mia) });
    const store = createClient(service.clientOptions);
    const ids = (await store.eachPet().toArray()).map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 150 }, (_, index) => index + 1));
    const tom = { name: 'Tom', categoryId: 9007199254740993n, status: 'sold' } as const;
    await store.createPet(tom);
    expect(service.pets.at(-1)).toEqual({ id: 151, ...tom });
    expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /pets?limit=100',
      expect.stringMatching(/^GET \/pets\?limit=100&cursor=/),
      'POST /pets',
    ]);
  });

  test('the test service keeps given ids, lists animals by id, and gives new animals ids above the largest one', async () => {
    const pets = [{ id: 7, ...mia }, mia, { id: 3, ...mia }];
    const store = createClient(createTestService({ pets }).clientOptions);
    const { pets: listed } = await store.listPets({ limit: 2 });
    expect(listed.map(({ id }) => id)).toEqual([3, 7]);
    expect((await store.eachPet().toArray()).map(({ id }) => id)).toEqual([3, 7, 8]);
    expect(await store.createPet(mia)).toMatchObject({ id: 9 });
  });

  test.each([
    [
      [
        { id: 3, ...mia },
        { id: 3, ...mia },
      ],
      'pets: expected each id once, but 3 is given twice',
    ],
    [[{ id: 0, ...mia }], 'pets: expected an integer from 1 as the id, got 0'],
  ])('createTestService refuses the invalid animals %j', (pets, message) => {
    expect(() => createTestService({ pets })).toThrow(new TypeError(message));
  });

  test.each([
    [{ perDay: 5 }, 'quota.perMinute: expected an integer from 0, got undefined'],
    [{ perMinute: 1, perDay: -1 }, 'quota.perDay: expected an integer from 0, got -1'],
  ])('createTestService refuses the invalid quota %j', (quota, message) => {
    expect(() => createTestService({ quota: quota as never })).toThrow(new TypeError(message));
  });

  // Regression: after `failNext` with an unknown code, calls failed like after a lost connection.
  test.each([
    [
      'internal_eror',
      {},
      'failure: expected no_answer or an error code of the service, got internal_eror',
    ],
    ['no_answer', { times: 1.5 }, 'times: expected an integer from 0, got 1.5'],
    [
      'service_unavailable',
      { retryAfterSeconds: 0.5 },
      'retryAfterSeconds: expected an integer from 0, got 0.5',
    ],
  ])('failNext refuses the invalid arguments %j and %j', (failure, options, message) => {
    const { failNext } = createTestService();
    expect(() => failNext(failure as never, options)).toThrow(new TypeError(message));
  });

  test.each([
    [
      'happy-dom, whose Headers keep the case of names',
      () => {
        class OfHappyDom extends Headers {
          override *[Symbol.iterator](): HeadersIterator<[string, string]> {
            for (const [name, value] of super.entries()) {
              yield [name.replace(/^[a-z]/, (letter) => letter.toUpperCase()), value];
            }
          }
        }
        vi.stubGlobal('Headers', OfHappyDom);
      },
    ],
    [
      'jsdom, which has neither Request nor Response',
      () => {
        vi.stubGlobal('Request', undefined);
        vi.stubGlobal('Response', undefined);
      },
    ],
  ])('the test service returns and adds animals in the environment %s', async (_what, enter) => {
    enter();
    const service = createTestService({ pets: [mia] });
    const store = createClient({ ...service.clientOptions, maxRetries: 0 });
    expect((await store.listPets()).pets).toHaveLength(1);
    expect(await store.createPet(mia)).toMatchObject({ id: 2 });
    service.failNext('no_answer');
    const cause = new TypeError('fetch failed');
    expect(await rejection(store.listPets())).toMatchObject({ name: 'ConnectionError', cause });
    service.failNext('pet_not_found');
    expect(isApiError(await rejection(store.listPets()), 404)).toBe(true);
  });

  test('the test service uses the fake clock of the test to reset its quota', async () => {
    vi.useFakeTimers({ now: 0 });
    const service = createTestService({ quota: { perMinute: 2, perDay: 3 } });
    const store = createClient({ ...service.clientOptions, maxRetryAfterMs: 0 });
    await store.listPets();
    expect((await store.rateLimit()).windows.minute).toMatchObject({ limit: 2, remaining: 1 });
    await store.listPets();
    expect(isApiError(await rejection(store.listPets()), 429)).toBe(true);
    vi.advanceTimersByTime(60_000);
    await store.listPets();
    expect(await rejection(store.listPets())).toMatchObject({ retryAfterMs: 86_340_000 });
    // The client refuses the two denied calls itself, because it knows that the quota is used up.
    expect(service.requests).toHaveLength(4);
  });

  // Regression: the test service reported the day window. The real service reports the minute
  // window when both windows are used up, so tests and production differed.
  test('the test service reports the minute window when the last request uses up both windows', async () => {
    vi.useFakeTimers({ now: 0 });
    const { clientOptions } = createTestService({ quota: { perMinute: 1, perDay: 1 } });
    const { rateLimit } = await createClient(clientOptions).listPets().withResponse();
    expect(rateLimit?.resetAt).toEqual(new Date(60_000));
  });

  test.each([
    ['no_answer', 'ConnectionError'],
    ['key_temporarily_banned', 'RateLimitError'],
  ] as const)(
    'the test service fails the next calls with %s when the test requests it',
    async (failure, name) => {
      const service = createTestService();
      service.failNext(failure, { times: 2, retryAfterSeconds: 0 });
      const store = createClient({ ...service.clientOptions, maxRetries: 0 });
      expect(await rejection(store.listPets())).toMatchObject({ name });
      expect(await rejection(store.listPets())).toMatchObject({ name });
      expect((await store.listPets()).pets).toEqual([]);
    },
  );

  test('each test service has its own API key, so tests do not share quotas', async () => {
    const [one, other] = [createTestService(), createTestService()];
    const store = createClient({ ...one.clientOptions, apiKey: other.clientOptions.apiKey });
    expect(isApiError(await rejection(store.listPets()), 401)).toBe(true);
  });
});
