import { type RateLimiterCompatibleAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type CircuitBreaker, createCircuitBreaker } from '../../src/quotas/circuit-breaker.ts';
import { MemoryKeyLimiter } from '../../src/quotas/memory-key-limiter.ts';
import { QuotaDecision } from '../../src/quotas/quota-decision.ts';
import { RedisAllowanceLimiter } from '../../src/quotas/redis-allowance-limiter.ts';
import { RedisKeyLimiter } from '../../src/quotas/redis-key-limiter.ts';
import { suiteOptions } from './quota-subject.ts';
import { useRedis } from './use-redis.ts';

// Whoever knows rate-limiter-flexible may call any method of its limiters. Each works, or says why not.

const quota = { perMinute: 3, perDay: 5 };
const options = { id: 'key', quota };
const { banPolicy } = suiteOptions;

const redis = useRedis();
/** Whether a call was taken for a failure of Redis. */
let breakerOpened = false;

function createBreaker(): CircuitBreaker {
  return createCircuitBreaker({
    timeoutMs: 60_000,
    probe: () => redis.connection.ping(),
    onChange() {
      breakerOpened = true;
    },
  });
}

function createRedisLimiter(): RedisKeyLimiter {
  return new RedisKeyLimiter({
    redis: redis.connection,
    breaker: createBreaker(),
    now: () => Date.now(),
    insurance: new MemoryKeyLimiter({ banPolicy, scope: 'replica' }),
    banPolicy,
  });
}

const limiters = {
  'in Redis': createRedisLimiter,
  'in memory': () => new MemoryKeyLimiter({ banPolicy, scope: 'service' }),
};

describe.each(Object.entries(limiters))('the limiter of API keys %s', (_where, create) => {
  let limiter: RedisKeyLimiter | MemoryKeyLimiter;

  beforeEach(async () => {
    await redis.connection.flushall();
    vi.useFakeTimers({ toFake: ['Date'] });
    breakerOpened = false;
    limiter = create();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const take = (id = 'key') => limiter.consume(id, 1, { id, quota });
  const leftOf = async (id = 'key') => {
    const { windows } = (await limiter.get(id, { id, quota })) as QuotaDecision;
    return windows.map(({ remaining }) => remaining);
  };

  test('consume resolves if admitted, and rejects with a RateLimiterRes if not', async () => {
    for (const remainingPoints of [2, 1, 0]) {
      const admitted = await take();
      expect(admitted).toBeInstanceOf(RateLimiterRes);
      expect(admitted).toMatchObject({ remainingPoints, consumedPoints: 0 });
    }
    const denied: unknown = await take().catch((reason) => reason);
    expect(denied).toBeInstanceOf(QuotaDecision);
    expect(denied).toMatchObject({ outcome: 'denied', remainingPoints: 0, consumedPoints: 1 });
    expect((denied as QuotaDecision).msBeforeNext).toBeGreaterThan(0);
    expect(await leftOf()).toEqual([0, 2]);
  });

  test('consume refuses more than one point, and counts none', async () => {
    await expect(limiter.consume('key', 2, options)).rejects.toThrow('costs one point');
    expect(await leftOf()).toEqual([3, 5]);
  });

  test('a call without the key and its quota says so', async () => {
    const others = Promise.all([take('other'), take('other')]);
    // The library's interface allows it.
    const untyped: Pick<RateLimiterCompatibleAbstract, 'consume' | 'penalty' | 'get'> = limiter;
    await expect(untyped.consume('key')).rejects.toThrow('{ id, quota }');
    await expect(untyped.penalty('key')).rejects.toThrow('{ id, quota }');
    await expect(untyped.get('key')).rejects.toThrow('{ id, quota }');
    expect(await others).toHaveLength(2);
    expect(breakerOpened).toBe(false);
  });

  test('get counts nothing', async () => {
    await take();
    expect(await leftOf()).toEqual([2, 4]);
    expect(await leftOf()).toEqual([2, 4]);
  });

  test('penalty counts one request, and resolves also if it is not admitted', async () => {
    const outcomes = [];
    for (let i = 0; i < 4; i += 1) {
      outcomes.push(((await limiter.penalty('key', 1, options)) as QuotaDecision).outcome);
    }
    expect(outcomes).toEqual(['admitted', 'admitted', 'admitted', 'denied']);
    expect(await leftOf()).toEqual([0, 2]);
    await expect(limiter.penalty('key', 3, options)).rejects.toThrow('costs one point');
  });

  test('reward, set and block say why they do not work, and change nothing', async () => {
    await take();
    const others = Promise.all([take('other'), take('other')]);
    await expect(limiter.reward('key', 1, options)).rejects.toThrow('no point is given back');
    await expect(limiter.set('key', 1, 60, options)).rejects.toThrow('only the ban rule bans');
    await expect(limiter.block('key', 60, options)).rejects.toThrow('To block a key, revoke it.');
    // Regression: these calls failed the batch that requests of other keys were in.
    expect(await others).toHaveLength(2);
    expect(breakerOpened).toBe(false);
    expect(await leftOf()).toEqual([2, 4]);
  });

  test('delete deletes everything about this key, also its ban, and no other key', async () => {
    const other = { id: 'other', quota };
    await take();
    await take('other');
    // Three are admitted, one begins the episode, and the eleventh strike bans.
    const outcomes = [];
    for (let i = 0; i < 20; i += 1) {
      if (i === 4) vi.setSystemTime(Date.now() + banPolicy.graceMs);
      outcomes.push(((await limiter.penalty('other', 1, other)) as QuotaDecision).outcome);
    }
    expect(outcomes.at(-1)).toBe('banned');
    expect(await limiter.delete('other', other)).toBe(true);
    expect(await limiter.delete('other', other)).toBe(false);
    expect(await take('other')).toMatchObject({ outcome: 'admitted', remainingPoints: 2 });
    expect(await leftOf()).toEqual([2, 4]);
  });
});

test("the limiter of networks has all methods of the library's limiter, behind the breaker", async () => {
  const storeClient = redis.connection;
  const limiter = new RedisAllowanceLimiter(createBreaker(), {
    storeClient,
    keyPrefix: 'allowance',
    points: 3,
    duration: 60,
  });
  await limiter.consume('network');
  await limiter.penalty('network', 2);
  await limiter.reward('network');
  expect(await limiter.get('network')).toMatchObject({ consumedPoints: 2, remainingPoints: 1 });
  await limiter.set('network', 3, 60);
  await expect(limiter.consume('network')).rejects.toBeInstanceOf(RateLimiterRes);
  expect(await limiter.delete('network')).toBe(true);
  expect(await limiter.get('network')).toBeNull();
  await limiter.block('network', 60);
  await expect(limiter.consume('network')).rejects.toBeInstanceOf(RateLimiterRes);
  expect(breakerOpened).toBe(false);
});
