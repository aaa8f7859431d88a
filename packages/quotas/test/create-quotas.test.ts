import { openRedisCluster, patientQuotas } from '@animal-store/testkit';
import { Cluster, Redis } from 'ioredis';
import {
  BurstyRateLimiter,
  RateLimiterMemory,
  RateLimiterRes,
  RateLimiterUnion,
} from 'rate-limiter-flexible';
import { expect, onTestFinished, test } from 'vitest';
import {
  createMemoryQuotas,
  createQuotas,
  defaultBanPolicy,
  maxLimit,
  QuotaDecision,
} from '../src/index.ts';
import { useRedis } from './use-redis.ts';

const redis = useRedis();
const quota = { perMinute: 2, perDay: 10 };

async function open(options: Parameters<typeof createQuotas>[0] = {}) {
  const onBreaker = (state: string, reason: unknown) => {
    if (state === 'open') throw reason;
  };
  const quotas = await createQuotas({ redis: redis.url, ...patientQuotas, onBreaker, ...options });
  onTestFinished(() => quotas.close());
  return quotas;
}

const remaining = ({ windows }: QuotaDecision) => windows.map((window) => window.remaining);

test.each([
  [undefined, 'consumer: expected an object, got undefined'],
  [null, 'consumer: expected an object, got null'],
  ['a', 'consumer: expected an object, got "a"'],
  [{ id: '', quota }, 'id: expected a non-empty string, got ""'],
  [{ id: 7, quota }, 'id: expected a non-empty string, got 7'],
  // Regression: this consumer had its own quota in addition to the quota of its account.
  [{ id: 'a', account_id: 'b', quota }, 'account_id: unknown property, expected accountId'],
  [{ id: 'a', accountId: '', quota }, 'accountId: expected a non-empty string, got ""'],
  [{ id: 'a' }, `quota.perMinute: expected an integer from 1 to ${maxLimit}, got undefined`],
  [
    { id: 'a', quota: { perMinute: 5, perDay: Infinity } },
    `quota.perDay: expected an integer from 1 to ${maxLimit}, got Infinity`,
  ],
  [
    { id: 'a', quota: { ...quota, perMinute: 0 } },
    'quota.perMinute: expected an integer from 1 to',
  ],
  [{ id: 'a', quota: { ...quota, perMinute: 1.5 } }, 'got 1.5'],
  [{ id: 'a', quota: { ...quota, perMinute: '5' } }, 'got "5"'],
  [{ id: 'a', quota: { ...quota, perMinute: maxLimit + 1 } }, 'got 2147483648'],
])(
  'consume() and look() reject the invalid consumer %j with a TypeError, and Redis still decides other requests',
  async (consumer, message) => {
    const quotas = await open();
    const wrong = consumer as Parameters<typeof quotas.consume>[0];
    for (const result of [quotas.consume(wrong), quotas.look(wrong)]) {
      await expect(result).rejects.toThrow(TypeError);
      await expect(result).rejects.toThrow(message);
    }
    expect((await quotas.consume({ id: crypto.randomUUID(), quota })).scope).toBe('service');
  },
);

// Regression: consume() rejected a stored row without an account, although `accountId` was given.
test('consume() accepts a stored row with account_id when the property accountId is given, too', async () => {
  const quotas = await open();
  const row = { id: crypto.randomUUID(), account_id: null };
  const consumer = { ...row, accountId: row.account_id ?? undefined, quota };
  expect((await quotas.consume(consumer)).scope).toBe('service');
});

test.each([
  [null, 'options: expected an object, got null'],
  ['redis://127.0.0.1', 'options: expected an object, got "redis://127.0.0.1"'],
  [{ redis: '' }, 'got an empty string'],
  [{ redis: ['redis://127.0.0.1', ' '] }, 'got an empty string'],
  [{ redis: 'https://user:secret@store' }, 'got a URL with https:'],
  [{ redis: { host: '127.0.0.1', port: 6379 } }, 'or an ioredis client; got object'],
  [{ redis: 6379 }, 'got number'],
  [{ redis: null }, 'got null'],
  // Regression: ioredis took these URLs for the paths of Unix sockets, so each replica decided alone.
  [{ redis: 'redis+sentinel://127.0.0.1:26379' }, 'got another form'],
  [{ redis: ['redis+sentinel://a/name', 'redis+sentinel://b/name'] }, 'got another form'],
  [{ redis: 'redis://:secret@a:1,redis://b:2' }, 'Write the URLs of a Cluster as a list'],
  [{ redis: ['127.0.0.1:6379', '127.0.0.1:6380'] }, 'got an invalid URL'],
  // Regression: the parameters and the number of a database had no effect.
  [{ redis: ['redis://a:1?family=6', 'redis://b:2'] }, 'URLs of a Cluster without parameters'],
  [{ redis: ['redis://a:1/0', 'redis://b:2/3'] }, 'A Cluster has only database 0'],
  // Regression: this list led to a Redis on this machine.
  [{ redis: [undefined] }, 'got undefined in a list'],
  // Regression: quotas with this list were counted in memory, so each replica admitted the whole quota.
  [{ redis: [] }, 'got an empty list'],
  // Regression: unknown options had no effect, and no error was reported.
  [{ banPolcy: false }, 'banPolcy: unknown option, expected banPolicy'],
  [{ timeoutMS: 5 }, 'timeoutMS: unknown option, expected timeoutMs'],
  [{ host: '127.0.0.1' }, 'host: unknown option, expected one of redis, prefix, banPolicy'],
  [
    { banPolicy: { ...defaultBanPolicy, banSecond: 5 } },
    'banPolicy.banSecond: unknown option, expected banSeconds',
  ],
  [{ clock: 5 }, 'clock: expected an object with now(), got 5'],
  [{ redisClock: null }, 'redisClock: expected an object with now(), got null'],
  [{ prefix: '' }, 'prefix: expected a non-empty string, got ""'],
  [{ prefix: 5 }, 'prefix: expected a non-empty string, got 5'],
  [{ timeoutMs: 0 }, `timeoutMs: expected an integer from 1 to ${maxLimit}, got 0`],
  [{ probeEveryMs: '250' }, 'got "250"'],
  [{ connectTimeoutMs: NaN }, 'got NaN'],
  [{ firstConnectionTimeoutMs: Infinity }, 'got Infinity'],
  [{ replicas: 3 }, 'replicas: expected a function, got 3'],
  [{ onBan: 'log' }, 'onBan: expected a function, got "log"'],
  [{ onBreaker: true }, 'onBreaker: expected a function, got true'],
  [{ onWarning: null }, 'onWarning: expected a function, got null'],
  [{ banPolicy: true }, 'banPolicy: expected an object or false, got true'],
  [{ banPolicy: { ...defaultBanPolicy, graceMs: -1 } }, 'banPolicy.graceMs: expected a number'],
  [{ banPolicy: { minStrikes: 3 } }, '{ ...defaultBanPolicy, graceMs: … }'],
])(
  'createQuotas rejects the invalid options %j with a TypeError that does not quote a URL',
  async (options, message) => {
    const opened = createQuotas(options as never);
    await expect(opened).rejects.toThrow(TypeError);
    await expect(opened).rejects.toThrow(message);
    await expect(opened).rejects.not.toThrow('secret');
  },
);

test('createMemoryQuotas refuses an option of createQuotas that would have no effect', () => {
  const options = { redis: redis.url } as never;
  expect(() => createMemoryQuotas(options)).toThrow(
    'redis: unknown option, expected one of clock, banPolicy, onBan',
  );
});

test('createQuotas accepts undefined for each option', async () => {
  const nothing = { prefix: undefined, banPolicy: undefined, replicas: undefined };
  const quotas = await createQuotas({
    ...{ ...nothing, redis: undefined, timeoutMs: undefined, probeEveryMs: undefined },
    ...{ connectTimeoutMs: undefined, firstConnectionTimeoutMs: undefined, clock: undefined },
    ...{ onBan: undefined, onBreaker: undefined, onWarning: undefined, redisClock: undefined },
  });
  expect((await quotas.consume({ id: 'a', quota })).outcome).toBe('admitted');
});

test.each([0, -1, NaN])(
  'a replica admits at most the whole quota during an outage when the option `replicas` returns the invalid number %d',
  async (replicas) => {
    const quotas = await createQuotas({
      redis: 'redis://127.0.0.1:1',
      firstConnectionTimeoutMs: 1,
      replicas: () => replicas,
    });
    onTestFinished(() => quotas.close());
    const asked = Array.from({ length: 3 }, () => quotas.consume({ id: 'a', quota }));
    expect((await Promise.all(asked)).map(({ outcome }) => outcome)).toEqual([
      ...['admitted', 'admitted', 'denied'],
    ]);
  },
);

test('createAllowance refuses an invalid limit and an empty name, and `take`, `unban`, `credit` and `moveBan` refuse an empty id', async () => {
  const quotas = await open({ redis: undefined });
  expect(() => quotas.createAllowance('x', { perMinute: NaN })).toThrow(TypeError);
  expect(() => quotas.createAllowance('', { perMinute: 1 })).toThrow(TypeError);
  await expect(quotas.createAllowance('x', { perMinute: 1 }).take('')).rejects.toThrow(TypeError);
  await expect(quotas.unban({ id: '' })).rejects.toThrow(TypeError);
  await expect(quotas.credit({ id: '' })).rejects.toThrow(TypeError);
  await expect(quotas.moveBan({ id: 'a' }, { id: '' })).rejects.toThrow(TypeError);
});

test('a consumer is never banned when the ban policy is false', async () => {
  const hasty = { ...defaultBanPolicy, graceMs: 0, minStrikes: 1 };
  const outcomes = async (banPolicy: typeof hasty | false) => {
    const quotas = await open({ banPolicy });
    const consumer = { id: crypto.randomUUID(), quota };
    for (let i = 0; i < 9; i += 1) await quotas.consume(consumer);
    return (await quotas.consume(consumer)).outcome;
  };
  expect([await outcomes(hasty), await outcomes(false)]).toEqual(['banned', 'denied']);
});

test('services that use one Redis with different prefixes do not share request counts', async () => {
  const [one, other] = [await open({ prefix: 'one' }), await open({ prefix: 'other' })];
  const consumer = { id: 'same', quota };
  expect(remaining(await one.consume(consumer))).toEqual([1, 9]);
  expect(remaining(await other.consume(consumer))).toEqual([1, 9]);
  expect(remaining(await one.consume(consumer))).toEqual([0, 8]);
});

test('ids with braces and percent signs have separate request counts, also in a Redis Cluster', async () => {
  await using cluster = await openRedisCluster();
  const quotas = await open({ redis: cluster.urls, firstConnectionTimeoutMs: 60_000 });
  const ids = ['{', '}', '{}', '}{', '{a}b{}', 'a}:ban:{b', '%7B', '%', 'ü {1}'];
  for (const id of ids) {
    expect(remaining(await quotas.consume({ id, quota })), id).toEqual([1, 9]);
    expect(remaining(await quotas.consume({ id, accountId: id, quota })), id).toEqual([1, 9]);
    // The strikes of a consumer with an account must be in the slot of the account. Otherwise the
    // script would need two slots and fail.
    for (let i = 0; i < 3; i += 1) await quotas.consume({ id, accountId: id, quota });
    await quotas.unban({ id, accountId: id });
  }
});

test('Redis still decides the requests of other consumers when the script fails for one consumer, because its stored value is invalid', async () => {
  const quotas = await open();
  await redis.connection.rpush('quotas:key:{foreign}', 'a list');
  expect((await quotas.consume({ id: 'foreign', quota })).scope).toBe('replica');
  const next = await quotas.consume({ id: crypto.randomUUID(), quota });
  expect(next).toMatchObject({ scope: 'service', outcome: 'admitted' });
});

test("createQuotas duplicates the caller's Redis client, and never connects or closes the caller's client itself", async () => {
  const client = new Redis(redis.url, { lazyConnect: true, maxRetriesPerRequest: null });
  onTestFinished(() => client.disconnect());
  const quotas = await open({ redis: client, prefix: 'of-a-client' });
  expect((await quotas.consume({ id: 'a', quota })).scope).toBe('service');
  expect(client.status).toBe('wait');
  quotas.close();
  expect(await client.exists('of-a-client:key:{a}')).toBe(1);
});

// Regression: with these options of the caller's client, `unban` returned a text instead of a number,
// and one invalid value in Redis was treated as an outage.
test("the options stringNumbers and reconnectOnError of the caller's Redis client have no effect on the quotas", async () => {
  const client = new Redis(redis.url, {
    lazyConnect: true,
    stringNumbers: true,
    reconnectOnError: () => 2,
  });
  onTestFinished(() => client.disconnect());
  const quotas = await open({ redis: client });
  const id = crypto.randomUUID();
  await redis.connection.rpush(`quotas:key:{${id}}`, 'a list');
  expect((await quotas.consume({ id, quota })).scope).toBe('replica');
  expect(await quotas.unban({ id: crypto.randomUUID() })).toEqual({ strikes: 0 });
});

// Regression: ioredis refused the pipelines, so each replica decided alone.
test("Redis decides requests for all slots when the caller's Cluster client uses automatic pipelines", async () => {
  await using cluster = await openRedisCluster();
  const client = new Cluster(cluster.urls, { lazyConnect: true, enableAutoPipelining: true });
  onTestFinished(() => client.disconnect());
  const quotas = await open({ redis: client, firstConnectionTimeoutMs: 60_000 });
  const ids = Array.from({ length: 20 }, () => crypto.randomUUID());
  const decisions = await Promise.all(ids.map((id) => quotas.consume({ id, quota })));
  expect(new Set(decisions.map(({ scope }) => scope))).toEqual(new Set(['service']));
});

test('a limiter of the quotas resolves and rejects with a RateLimiterRes, as the wrappers of rate-limiter-flexible expect', async () => {
  const quotas = await open();
  const limiter = quotas.limiter({ perMinute: 1, perDay: 5 });
  const id = crypto.randomUUID();
  expect(await limiter.consume(id)).toBeInstanceOf(RateLimiterRes);
  const refusal = await limiter.consume(id).catch((reason: unknown) => reason);
  expect(refusal).toBeInstanceOf(QuotaDecision);
  expect(refusal).toMatchObject({ remainingPoints: 0, outcome: 'denied' });
  expect((await limiter.get(id)).remainingPoints).toBe(0);

  const burst = new RateLimiterMemory({ points: 1, duration: 60 });
  const bursty = new BurstyRateLimiter(limiter, burst);
  expect(await bursty.consume(id)).toBeInstanceOf(RateLimiterRes);
  await expect(bursty.consume(id)).rejects.toBeInstanceOf(RateLimiterRes);
  const union = new RateLimiterUnion(limiter, new RateLimiterMemory({ points: 9, duration: 1 }));
  await expect(union.consume(id)).rejects.toMatchObject({ '': { outcome: 'denied' } });
});
