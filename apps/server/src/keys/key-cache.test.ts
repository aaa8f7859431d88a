import { DatabaseError, DatabaseUnavailableError } from '@animal-store/postgres';
import { createTestClock, type TestClock } from '@animal-store/runtime/test-clock';
import { beforeEach, expect, test } from 'vitest';
import type { ApiKey } from './api-key.ts';
import { createKeyCache, type KeyCache } from './key-cache.ts';
import { createToken, hashToken } from './token.ts';

const key: ApiKey = {
  id: 'key',
  account: 'C-17',
  accountId: undefined,
  plan: 'free',
  quota: { perMinute: 60, perDay: 1_000 },
  scopes: ['pets:read'],
  refusal: undefined,
  expiresAt: undefined,
};
let clock: TestClock;
let lookedUp: string[];
let load: (hash: string) => Promise<ApiKey | undefined>;
let cache: KeyCache;

beforeEach(() => {
  clock = createTestClock();
  lookedUp = [];
  load = async () => key;
  const ask = (hash: string) => {
    lookedUp.push(hash);
    return load(hash);
  };
  cache = createKeyCache({ clock, load: ask });
});

const find = () => cache.findByToken('token');
const unknown = async () => undefined;
const unavailable = () => Promise.reject(new DatabaseUnavailableError('CONNECTION_CLOSED'));

test('the key cache queries the database for the same token at most once in 30 s, even if the system clock changes', async () => {
  expect(await Promise.all(Array.from({ length: 100 }, find))).toEqual(Array(100).fill(key));
  await clock.advance(29_999);
  expect(await find()).toBe(key);
  expect(lookedUp).toEqual([hashToken('token')]);
  clock.setWall(clock.now() - 3_600_000);
  await clock.advance(1);
  await find();
  expect(lookedUp).toHaveLength(2);
});

test('findCached returns a cached API key until its cache entry is 30 s old', async () => {
  const token = createToken();
  const both = async () => [cache.findCached(token), await cache.findByToken(token)];
  expect(await both()).toEqual([undefined, key]);
  expect(cache.findCached(`${token} `)).toBeUndefined();
  expect(await both()).toEqual([key, key]);
  await clock.advance(30_000);
  expect(await both()).toEqual([undefined, key]);
  cache.invalidate(key.id);
  expect(cache.findCached(token)).toBeUndefined();
});

test('findByToken caches an unknown token for 2 s', async () => {
  load = unknown;
  expect(await find()).toBeUndefined();
  await clock.advance(1_999);
  load = async () => key;
  expect(await find()).toBeUndefined();
  await clock.advance(1);
  expect(await find()).toBe(key);
});

test('findByToken does not return a cached API key after the API key has expired', async () => {
  load = async () => ({ ...key, expiresAt: new Date(clock.now() + 5_000) });
  await find();
  load = unknown;
  clock.setWall(clock.now() + 4_999);
  expect(await find()).toMatchObject({ id: 'key' });
  clock.setWall(clock.now() + 1);
  expect(await find()).toBeUndefined();
});

test('after invalidate(), the key cache queries the database again for the changed API key and for unknown tokens, but not for other API keys', async () => {
  await find();
  load = async () => ({ ...key, id: 'other' });
  await cache.findByToken('other token');
  load = unknown;
  await cache.findByToken('unknown');
  lookedUp = [];
  cache.invalidate('key');
  expect(await find()).toBeUndefined();
  await cache.findByToken('unknown');
  expect(await cache.findByToken('other token')).toMatchObject({ id: 'other' });
  expect(lookedUp).toEqual(['token', 'unknown'].map(hashToken));
});

// Regression: after a change of an account, lookups of the account's API keys were counted as wrong
// guesses by the caller's network.
test.each([
  ['of the API key', () => cache.invalidate(key.id)],
  ['of the account of the API key', () => cache.invalidateAccount('C-17')],
  ['that may have been missed', () => cache.invalidateAll()],
])(
  'after a change %s, isUncached still returns false for the token of a cached API key',
  async (_, change) => {
    await find();
    change();
    expect(cache.isUncached('token')).toBe(false);
    expect(await find()).toBe(key);
    expect(lookedUp).toHaveLength(2);
    change();
    load = unknown;
    expect(await find()).toBeUndefined();
    expect(cache.isUncached('token')).toBe(false);
    await clock.advance(2_000);
    expect(cache.isUncached('token')).toBe(true);
  },
);

test('findByToken does not cache the result of a query if the API key has changed during the query', async () => {
  const reading = Promise.withResolvers<ApiKey>();
  load = () => reading.promise;
  const before = find();
  cache.invalidate('key');
  load = unknown;
  const after = find();
  reading.resolve(key);
  expect(await Promise.all([before, after])).toEqual([key, undefined]);
  expect(await find()).toBeUndefined();
});

test('findByToken returns a cached API key for 5 minutes while the database is down, and retries the query once a second', async () => {
  await find();
  load = unavailable;
  await clock.advance(30_000);
  lookedUp = [];
  for (let i = 0; i < 10; i += 1) {
    expect(await find()).toBe(key);
    await clock.advance(500);
  }
  expect(lookedUp).toHaveLength(5);
  await clock.advance(264_999);
  expect(await find()).toBe(key);
  await clock.advance(1_001);
  await expect(find()).rejects.toThrow(DatabaseUnavailableError);
});

test('findByToken rejects if the API key changes during a query that fails because the database is down', async () => {
  await find();
  await clock.advance(30_000);
  const asking = Promise.withResolvers<never>();
  load = () => asking.promise;
  const during = find();
  cache.invalidateAll();
  asking.reject(new DatabaseUnavailableError('CONNECTION_CLOSED'));
  await expect(during).rejects.toThrow(DatabaseUnavailableError);
});

test.each<[what: string, known: ApiKey | undefined, passMs: number]>([
  ['a token that was unknown before', undefined, 2_000],
  ['an expired API key', { ...key, expiresAt: new Date(1_000) }, 0],
])(
  'findByToken rejects instead of returning a cached result for %s while the database is down',
  async (_, known, passMs) => {
    load = async () => known;
    clock.setWall(0);
    await find();
    load = unavailable;
    clock.setWall(1_000);
    await clock.advance(passMs);
    await expect(find()).rejects.toThrow(DatabaseUnavailableError);
  },
);

test('findByToken rejects with the original error when the database is up but the query fails', async () => {
  await find();
  await clock.advance(30_000);
  load = () => Promise.reject(new DatabaseError('42P01'));
  await expect(find()).rejects.toThrow('42P01');
});
