import { beforeEach, describe, expect, test } from 'vitest';
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts';

import { DatabaseError, DatabaseUnavailableError } from '../database/database-error.ts';
import { defaultTimings } from '../shared/timings.ts';
import type { ApiKey } from './api-key.ts';
import { createKeyCache, type KeyCache } from './key-cache.ts';
import { createToken, hashToken } from './token.ts';

describe('the key cache', () => {
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
  let asked: string[];
  let load: (hash: string) => Promise<ApiKey | undefined>;
  let cache: KeyCache;

  beforeEach(() => {
    clock = createTestClock();
    asked = [];
    load = async () => key;
    cache = createKeyCache({
      clock,
      timings: defaultTimings.keys,
      load: (hash) => {
        asked.push(hash);
        return load(hash);
      },
    });
  });

  const unavailable = () => Promise.reject(new DatabaseUnavailableError('CONNECTION_CLOSED'));

  test('asks the database by the hash of the token, once in 30 s', async () => {
    expect(await cache.findByToken('token')).toBe(key);
    await clock.advance(29_999);
    expect(await cache.findByToken('token')).toBe(key);
    expect(asked).toEqual([hashToken('token')]);
    await clock.advance(1);
    await cache.findByToken('token');
    expect(asked).toHaveLength(2);
  });

  test('recalls a key as long as the database need not be asked', async () => {
    const token = createToken();
    expect(cache.recall(token)).toBeUndefined();
    await cache.findByToken(token);
    expect(cache.recall(token)).toBe(key);
    expect(cache.recall(`${token} `)).toBeUndefined();
    await clock.advance(30_000);
    expect(cache.recall(token)).toBeUndefined();
    await cache.findByToken(token);
    cache.forget(key.id);
    expect(cache.recall(token)).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  test('asks again after 30 s even if the time of day was set back', async () => {
    await cache.findByToken('token');
    await clock.advance(30_000);
    clock.setWall(clock.now() - 3_600_000);
    await cache.findByToken('token');
    expect(asked).toHaveLength(2);
  });

  test('concurrent lookups of the same token share one query', async () => {
    await Promise.all(Array.from({ length: 100 }, () => cache.findByToken('token')));
    expect(asked).toHaveLength(1);
  });

  test('caches an unknown token for 2 s', async () => {
    load = async () => undefined;
    expect(await cache.findByToken('token')).toBeUndefined();
    await clock.advance(1_999);
    expect(await cache.findByToken('token')).toBeUndefined();
    expect(asked).toHaveLength(1);
    await clock.advance(1);
    load = async () => key;
    expect(await cache.findByToken('token')).toBe(key);
  });

  test('asks again about a changed key and unknown tokens, and no others', async () => {
    await cache.findByToken('token');
    load = async () => ({ ...key, id: 'other' });
    await cache.findByToken('other token');
    load = async () => undefined;
    await cache.findByToken('unknown');
    asked = [];
    cache.forget('key');
    expect(await cache.findByToken('token')).toBeUndefined();
    await cache.findByToken('unknown');
    expect((await cache.findByToken('other token'))?.id).toBe('other');
    expect(asked).toEqual(['token', 'unknown'].map(hashToken));
  });

  // Regression: after a change of an account, its keys were looked up at the expense of their network.
  test.each([
    ['of the key', () => cache.forget(key.id)],
    ['of its account', () => cache.forgetAccount('C-17')],
    ['that may have been missed', () => cache.forgetAll()],
  ])('after a change %s, a known token is not new, until it is invalid', async (_, change) => {
    await cache.findByToken('token');
    change();
    expect(cache.isNew('token')).toBe(false);
    expect(await cache.findByToken('token')).toBe(key);
    expect(asked).toHaveLength(2);
    change();
    load = async () => undefined;
    expect(cache.isNew('token')).toBe(false);
    expect(await cache.findByToken('token')).toBeUndefined();
    expect(cache.isNew('token')).toBe(false);
    await clock.advance(2_000);
    expect(cache.isNew('token')).toBe(true);
  });

  test.each(['forget', 'forgetAll'] as const)(
    'does not cache what was read before a %s',
    async (how) => {
      let answer = (_key: ApiKey) => {};
      load = () =>
        new Promise((resolve) => {
          answer = resolve;
        });
      const before = cache.findByToken('token');
      cache[how]('key');
      load = async () => undefined;
      const after = cache.findByToken('token');
      answer(key);
      expect(await before).toBe(key);
      expect(await after).toBeUndefined();
      expect(await cache.findByToken('token')).toBeUndefined();
    },
  );

  test('a cached key is not valid after it has expired', async () => {
    const expiresAt = new Date(clock.now() + 5_000);
    load = async () => ({ ...key, expiresAt });
    await cache.findByToken('token');
    load = async () => undefined;
    clock.setWall(clock.now() + 4_999);
    expect((await cache.findByToken('token'))?.id).toBe('key');
    clock.setWall(clock.now() + 1);
    expect(await cache.findByToken('token')).toBeUndefined();
  });

  describe('while the database is down', () => {
    test('a cached key stays valid for 5 minutes', async () => {
      await cache.findByToken('token');
      load = unavailable;
      await clock.advance(299_999);
      expect(await cache.findByToken('token')).toBe(key);
      await clock.advance(1_001);
      await expect(cache.findByToken('token')).rejects.toThrow(DatabaseUnavailableError);
    });

    test('the database is asked about a key once a second', async () => {
      await cache.findByToken('token');
      load = unavailable;
      await clock.advance(30_000);
      asked = [];
      for (let i = 0; i < 10; i += 1) {
        await cache.findByToken('token');
        await clock.advance(500);
      }
      expect(asked).toHaveLength(5);
    });

    test.each(['forget', 'forgetAll'] as const)(
      'a key is not valid after a %s during its query',
      async (how) => {
        await cache.findByToken('token');
        await clock.advance(30_000);
        const asking = Promise.withResolvers<never>();
        load = () => asking.promise;
        const during = cache.findByToken('token');
        cache[how]('key');
        asking.reject(new DatabaseUnavailableError('CONNECTION_CLOSED'));
        await expect(during).rejects.toThrow(DatabaseUnavailableError);
        load = unavailable;
        await expect(cache.findByToken('token')).rejects.toThrow(DatabaseUnavailableError);
      },
    );

    test('a token that is not cached is neither valid nor invalid', async () => {
      load = unavailable;
      await expect(cache.findByToken('token')).rejects.toThrow(DatabaseUnavailableError);
    });

    test('a token that was unknown is not refused', async () => {
      load = async () => undefined;
      await cache.findByToken('token');
      load = unavailable;
      await clock.advance(2_000);
      await expect(cache.findByToken('token')).rejects.toThrow(DatabaseUnavailableError);
    });

    test('an expired key is not valid', async () => {
      load = async () => ({ ...key, expiresAt: new Date(clock.now() + 1_000) });
      await cache.findByToken('token');
      load = unavailable;
      await clock.advance(30_000);
      clock.setWall(clock.now() + 1_000);
      await expect(cache.findByToken('token')).rejects.toThrow(DatabaseUnavailableError);
    });
  });

  test('another error of the database does not count as an outage', async () => {
    await cache.findByToken('token');
    await clock.advance(30_000);
    load = () => Promise.reject(new DatabaseError('42P01'));
    await expect(cache.findByToken('token')).rejects.toThrow('42P01');
  });
});
