import { describe, expect, test, vi } from 'vitest';
import { createClient, isApiError } from '../src/index.ts';
import { createTestService } from '../src/testing/index.ts';
import { rejection } from './rejection.ts';

// The test service alone: `process/real-service.test.ts` compares it with the real one.

const mia = { name: 'Mia', categoryId: 3 };

describe('the test service', () => {
  test('has animals, in pages, and takes new ones once', async () => {
    const service = createTestService({ pets: Array.from({ length: 150 }, () => mia) });
    const store = createClient(service.clientOptions);
    const all = await store.eachPet().toArray();
    expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 150 }, (_, index) => index + 1));
    const tom = { name: 'Tom', categoryId: 9007199254740993n, status: 'sold' } as const;
    const created = await store.createPet(tom, { idempotencyKey: 'once' });
    expect(await store.createPet(tom, { idempotencyKey: 'once' })).toEqual(created);
    expect(service.pets.at(-1)).toEqual({ id: 151, ...tom });
    expect(await store.eachPet({ status: 'sold' }).toArray()).toEqual([created]);
    expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /pets?limit=100',
      expect.stringMatching(/^GET \/pets\?limit=100&cursor=/),
      'POST /pets',
      'POST /pets',
      'GET /pets?status=sold&limit=100',
    ]);
  });

  test('counts its quota by the clock of the test', async () => {
    vi.useFakeTimers();
    try {
      const service = createTestService({ quota: { perMinute: 2, perDay: 3 } });
      const store = createClient({ ...service.clientOptions, maxRetryAfterMs: 0 });
      await store.listPets();
      expect((await store.rateLimit()).windows.minute).toMatchObject({ limit: 2, remaining: 1 });
      await store.listPets();
      expect(isApiError(await rejection(store.listPets()), 429)).toBe(true);
      vi.advanceTimersByTime(60_000);
      await store.listPets();
      expect(await rejection(store.listPets())).toMatchObject({ retryAfterMs: 86_340_000 });
      // The client knew each time that nothing was left.
      expect(service.requests).toHaveLength(4);
    } finally {
      vi.useRealTimers();
    }
  });

  test.each([
    ['no_answer', 'ConnectionError'],
    ['insufficient_scope', 'InsufficientScopeError'],
    ['key_suspended', 'KeySuspendedError'],
    ['internal_error', 'ServerError'],
    ['key_temporarily_banned', 'RateLimitError'],
    ['idempotency_in_progress', 'ConflictError'],
  ] as const)('fails with %s on demand', async (failure, name) => {
    const service = createTestService();
    service.failNext(failure);
    const store = createClient({ ...service.clientOptions, maxRetries: 0 });
    expect(await rejection(store.listPets())).toMatchObject({ name });
    await (failure === 'key_temporarily_banned' || store.listPets());
  });

  test('refuses what the scopes of its key do not allow', async () => {
    const service = createTestService({ scopes: ['pets:read'] });
    const store = createClient(service.clientOptions);
    expect(await rejection(store.createPet(mia))).toMatchObject({
      name: 'InsufficientScopeError',
      status: 403,
      attempts: 1,
    });
    expect(service.pets).toEqual([]);
    expect((await store.listPets()).pets).toEqual([]);
  });

  test('shows a retry', async () => {
    const service = createTestService();
    service.failNext('service_unavailable', { times: 2, retryAfterSeconds: 0 });
    const store = createClient(service.clientOptions);
    expect(await store.createPet(mia)).toMatchObject(mia);
    expect(service.requests).toHaveLength(3);
    expect(service.pets).toHaveLength(1);
  });

  test('is of a test alone: another one has another key', async () => {
    const [one, other] = [createTestService(), createTestService()];
    expect(one.clientOptions.apiKey).not.toBe(other.clientOptions.apiKey);
    const store = createClient({ ...one.clientOptions, apiKey: other.clientOptions.apiKey });
    expect(isApiError(await rejection(store.listPets()), 401)).toBe(true);
  });
});
