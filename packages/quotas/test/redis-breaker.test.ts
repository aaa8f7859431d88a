import { once } from 'node:events';
import { createTestClock, type TestClock } from '@animal-store/runtime/test-clock';
import { openRedisSentinels, openRedis as startRedis, until } from '@animal-store/testkit';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type CircuitBreaker, createCircuitBreaker } from '../src/circuit-breaker.ts';
import { openRedis, untilReady } from '../src/open-redis.ts';
import { createRedisProbe } from '../src/redis-probe.ts';

describe('the circuit breaker in front of Redis', () => {
  let probe: () => Promise<unknown>;
  let changes: string[];
  let clock: TestClock;
  let breaker: CircuitBreaker;

  beforeEach(() => {
    clock = createTestClock();
    probe = answer;
    changes = [];
    breaker = createCircuitBreaker({
      clock,
      timeoutMs: 150,
      probeEveryMs: 250,
      probe: () => probe(),
      onChange: (state) => changes.push(state),
    });
  });
  afterEach(() => {
    breaker.close();
  });

  const never = () => new Promise<never>(() => {});
  const fail = () => Promise.reject(new Error('READONLY'));
  const answer = async () => 'answer';

  test('the circuit breaker opens when a call to Redis fails, and then sends no call until a probe succeeds', async () => {
    probe = fail;
    await expect(breaker.run(fail)).rejects.toThrow('READONLY');
    await clock.advance(2_000);
    const call = vi.fn(answer);
    await expect(breaker.run(call)).rejects.toThrow('READONLY');
    expect(call).not.toHaveBeenCalled();
    probe = answer;
    await clock.advance(250);
    expect(await breaker.run(call)).toBe('answer');
    expect(changes).toEqual(['open', 'closed']);
  });

  test('the circuit breaker rejects all waiting calls to Redis when the first of them times out', async () => {
    const early = breaker.run(never);
    await clock.advance(100);
    const late = breaker.run(never);
    const settled = Promise.allSettled([early, late]);
    await clock.advance(50);
    expect(await settled).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    expect(changes).toEqual(['open']);
  });

  // Regression: a request during the shutdown opened the connection to Redis again, so the process
  // never exited.
  test('the circuit breaker never probes Redis and reports no change when a call fails after the breaker was closed for good', async () => {
    const probes = vi.fn(answer);
    probe = probes;
    breaker.close();
    await expect(breaker.run(fail)).rejects.toThrow('READONLY');
    await clock.advance(10_000);
    expect(probes).not.toHaveBeenCalled();
    expect(changes).toEqual([]);
  });

  test('the circuit breaker stays closed when the reply of Redis arrives in time but the busy event loop reads it late', async () => {
    const reply = Promise.withResolvers<string>();
    const call = breaker.run(() => reply.promise);
    // The timeout of a call consists of two timers, so that a reply that arrives in time is still
    // read when the event loop is busy. The reply of this test is read between the timers, so the
    // second timer must have no effect.
    const turn = clock.advance(75);
    reply.resolve('answer');
    expect(await call).toBe('answer');
    await turn;
    await clock.advance(2_000);
    expect(changes).toEqual([]);
  });

  test('the circuit breaker starts no second probe while the first one has not ended', async () => {
    let probes = 0;
    probe = () => {
      probes += 1;
      return never();
    };
    await expect(breaker.run(fail)).rejects.toThrow();
    await clock.advance(10_000);
    expect(probes).toBe(1);
  });

  test('the circuit breaker ignores the late failure of a call that began before the breaker opened and closed again', async () => {
    const late = Promise.withResolvers<never>();
    const settled = Promise.allSettled([breaker.run(() => late.promise)]);
    await clock.advance(150);
    expect(await settled).toMatchObject([{ status: 'rejected' }]);
    await clock.advance(250);
    late.reject(new Error('late'));
    expect(await breaker.run(answer)).toBe('answer');
    expect(changes).toEqual(['open', 'closed']);
  });
});

test('the probe of Redis reconnects when its connection leads to a read-only replica of Redis', async () => {
  await using server = await startRedis({ args: ['--replicaof', '127.0.0.1', '1'] });
  const redis = openRedis([server.url], { connectTimeoutMs: 1_000, name: 'test' });
  onTestFinished(() => redis.disconnect());
  await untilReady(redis, { ms: 10_000 });
  const closed = once(redis, 'close');
  const probe = createRedisProbe(redis, ['probe'], { timeoutMs: 60_000, connectTimeoutMs: 1_000 });
  await expect(probe()).rejects.toThrow(/^READONLY /);
  await closed;
});

test('the probe of Redis keeps looking for the primary while all Sentinels are down', async () => {
  await using server = await openRedisSentinels();
  await Promise.all(server.sentinels.map((sentinel) => sentinel.kill()));
  const redis = openRedis([server.url], { connectTimeoutMs: 1_000, name: 'test' });
  onTestFinished(() => redis.disconnect());
  const probe = createRedisProbe(redis, ['probe'], { timeoutMs: 60_000, connectTimeoutMs: 500 });
  let attempts = 0;
  redis.on('sentinelError', () => {
    attempts += 1;
  });
  const isFound = () => probe().then(() => true);
  // ioredis asks all three Sentinels in turn, and waits 50 ms longer after each round. So more than
  // 15 attempts last longer than the time (`connectTimeoutMs`) after which the probe replaces a
  // connection.
  await until(async () => attempts > 15 || (await isFound()));
  expect(redis.status).not.toBe('ready');

  await Promise.all(server.sentinels.map((sentinel) => sentinel.restart()));
  await until(isFound);
  expect(await redis.ping()).toBe('PONG');
});
