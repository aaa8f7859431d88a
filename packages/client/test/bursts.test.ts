import { plans } from '@animal-store/contract';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createClient, type TimeoutError } from '../src/index.ts';
import { rejection } from './rejection.ts';
import { hang, scriptFetch } from './scripted-fetch.ts';
import { simulateService } from './simulated-service.ts';

// Many calls at once, with the default options, on a fake clock.

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 21), loopLimit: 1e6 });
});

afterEach(() => {
  vi.useRealTimers();
});

let keys = 0;

function open(fetch: ReturnType<ReturnType<typeof simulateService>['connect']>) {
  const baseUrl = 'https://store.example/v1';
  return createClient({ baseUrl, apiKey: `ast_burst_${++keys}`, fetch });
}

async function settle(calls: Promise<unknown>[]) {
  const startedAtMs = Date.now();
  const results = Promise.allSettled(calls);
  await vi.runAllTimersAsync();
  const rejected = (await results).filter(({ status }) => status === 'rejected');
  return { answered: calls.length - rejected.length, tookMs: Date.now() - startedAtMs };
}

test.each([0, 1_000, 4_000])(
  '100 animals are added with a Free key, %i ms away, 60 now and 40 after the reset',
  async (latencyMs) => {
    const service = simulateService(plans.free);
    const store = open(service.connect(Number.POSITIVE_INFINITY, () => latencyMs));
    const calls = Array.from({ length: 100 }, () =>
      store.createPet({ name: 'Mia', categoryId: 3 }),
    );
    expect((await settle(calls)).answered).toBe(100);
    expect(service.tally).toMatchObject({ admitted: 100, denied: 0 });
  },
);

test('calls above what the minutes to come have room for are refused at once, with their time', async () => {
  const service = simulateService(plans.free);
  const store = open(service.connect(Number.POSITIVE_INFINITY, () => 100));
  const calls = Array.from({ length: 200 }, () => store.listPets());
  const refused = Promise.allSettled(calls.slice(120));
  await vi.advanceTimersByTimeAsync(10_000);
  const reasons = (await refused).map((it) => (it.status === 'rejected' ? it.reason : undefined));
  for (const reason of reasons)
    expect(reason).toMatchObject({ name: 'RateLimitError', attempts: 0 });
  expect(Math.min(...reasons.map(({ retryAfterMs }) => retryAfterMs))).toBeGreaterThan(110_000);
  expect((await settle(calls.slice(0, 120))).answered).toBe(120);
});

test('with more patience all wait, a minute for each 60', async () => {
  const service = simulateService(plans.free);
  const fetch = service.connect(Number.POSITIVE_INFINITY, () => 0);
  const store = open(fetch).withOptions({ maxRetryAfterMs: 20 * 60_000 });
  const { answered, tookMs } = await settle(Array.from({ length: 1_000 }, () => store.listPets()));
  expect(answered).toBe(1_000);
  expect(tookMs).toBeLessThan(1.1 * 16 * 60_000);
});

describe('without rate-limit headers', () => {
  test('250 calls at once are all answered, 800 ms away', async () => {
    const service = simulateService(plans.business, { isStripped: true });
    const store = open(service.connect(Number.POSITIVE_INFINITY, () => 400));
    const { answered, tookMs } = await settle(Array.from({ length: 250 }, () => store.listPets()));
    expect(answered).toBe(250);
    // Three at a time would take 67 s.
    expect(tookMs).toBeLessThan(50_000);
  });
});

test('a call that finds no place is a TimeoutError that says that it was not sent', async () => {
  const { fetch, requests } = scriptFetch(hang);
  const store = createClient({
    baseUrl: 'https://store.example/v1',
    apiKey: `ast_burst_${++keys}`,
    fetch,
    maxRetries: 0,
  });
  const calls = Array.from({ length: 8 }, () => rejection(store.listPets()));
  await vi.runAllTimersAsync();
  const errors = (await Promise.all(calls)) as TimeoutError[];
  expect(errors.map(({ name }) => name)).toEqual(Array(8).fill('TimeoutError'));
  const notSent = errors.filter(({ attempts }) => attempts === 0);
  expect(notSent.length + requests.length).toBe(8);
  expect(new Set(notSent.map(({ message }) => message))).toEqual(
    new Set(['listPets: not sent: no answer to earlier requests']),
  );
  expect(errors[0]?.message).toBe('listPets: no complete answer within 30000 ms');
});
