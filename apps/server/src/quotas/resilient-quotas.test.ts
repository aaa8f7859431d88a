import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createInProcessQuotas } from './in-process-quotas.ts';
import { suiteOptions } from './quota-suite.ts';
import type { Quotas } from './quotas.ts';
import { createReplicaShare } from './replica-share.ts';
import { createResilientQuotas } from './resilient-quotas.ts';

const key = { id: 'key', quota: { perMinute: 10, perDay: 100 } };

describe('resilient quotas', () => {
  /** Stands in for Redis: it decides as told. */
  let answer: () => Promise<void>;
  let asked: number;
  let probe: () => Promise<void>;
  let changes: string[];
  let quotas: Quotas;

  beforeEach(() => {
    vi.useFakeTimers({ now: 1_800_000_000_000 });
    answer = async () => {};
    probe = async () => {};
    asked = 0;
    changes = [];
    const redis = createInProcessQuotas(suiteOptions);
    quotas = createResilientQuotas({
      shared: {
        ...redis,
        async takeForKey(request) {
          asked += 1;
          await answer();
          return redis.takeForKey(request);
        },
      },
      own: createReplicaShare(createInProcessQuotas(suiteOptions), 3),
      timeoutMs: 150,
      probe: () => probe(),
      onChange: (decider) => changes.push(decider),
    });
  });
  afterEach(async () => {
    await quotas.close();
    vi.useRealTimers();
  });

  const take = () => quotas.takeForKey(key);
  const limitOf = async (decision: ReturnType<typeof take>) => (await decision).reported.limit;
  const never = () => new Promise<void>(() => {});

  test('Redis decides while it answers', async () => {
    expect(await limitOf(take())).toBe(10);
    expect(changes).toEqual([]);
  });

  test('a failure is decided by the share, rounded up, and no more is asked of Redis', async () => {
    answer = () => Promise.reject(new Error('READONLY'));
    expect(await limitOf(take())).toBe(4);
    expect(await limitOf(take())).toBe(4);
    expect(asked).toBe(1);
    expect(changes).toEqual(['own']);
  });

  test('a silent Redis delays what waits for it once, all of it at the same time', async () => {
    answer = never;
    const early = take();
    await vi.advanceTimersByTimeAsync(100);
    const late = take();
    await vi.advanceTimersByTimeAsync(50);
    expect(await limitOf(early)).toBe(4);
    expect(await limitOf(late)).toBe(4);
    expect(changes).toEqual(['own']);
  });

  test('an answer in time is taken', async () => {
    answer = () => new Promise((resolve) => setTimeout(resolve, 120));
    const decision = take();
    await vi.advanceTimersByTimeAsync(120);
    expect(await limitOf(decision)).toBe(10);
    expect(changes).toEqual([]);
  });

  test('a busy event loop is not mistaken for a silent Redis', async () => {
    let reply = () => {};
    answer = () =>
      new Promise((resolve) => {
        reply = () => resolve();
      });
    const decision = take();
    // One turn of the loop takes two seconds; the reply is read in the next.
    const nowBefore = performance.now();
    vi.spyOn(performance, 'now').mockReturnValue(nowBefore + 2_000);
    await vi.advanceTimersByTimeAsync(25);
    reply();
    expect(await limitOf(decision)).toBe(10);
    vi.restoreAllMocks();
    expect(changes).toEqual([]);
  });

  test('Redis decides again after the first probe that goes through', async () => {
    answer = () => Promise.reject(new Error('down'));
    probe = () => Promise.reject(new Error('down'));
    await take();
    await vi.advanceTimersByTimeAsync(2_000);
    answer = async () => {};
    expect(await limitOf(take())).toBe(4);
    probe = async () => {};
    await vi.advanceTimersByTimeAsync(250);
    expect(await limitOf(take())).toBe(10);
    expect(changes).toEqual(['own', 'shared']);
  });

  test('a probe that hangs is not joined by another', async () => {
    let probes = 0;
    probe = () => {
      probes += 1;
      return never();
    };
    answer = () => Promise.reject(new Error('down'));
    await take();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(probes).toBe(1);
  });

  test('a failure that comes after the breaker opened changes nothing', async () => {
    let fail = (_reason: Error) => {};
    answer = () =>
      new Promise((_resolve, reject) => {
        fail = reject;
      });
    const decision = take();
    await vi.advanceTimersByTimeAsync(150);
    expect(await limitOf(decision)).toBe(4);
    fail(new Error('late'));
    await vi.advanceTimersByTimeAsync(250);
    expect(changes).toEqual(['own', 'shared']);
  });
});
