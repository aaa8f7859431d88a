import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Quota } from '@animal-store/contract';
import { createSeededRandom } from '@animal-store/testkit/seeded-random';
import fc from 'fast-check';
import { expect, vi } from 'vitest';
import { type ClientOptions, createClient } from '../src/index.ts';
import { simulateService, type Tally } from './simulated-service.ts';

/** The options of one client, and the client's simulated connection to the service. */
interface Caller extends Pick<ClientOptions, 'timeoutMs' | 'maxRetries' | 'maxRetryAfterMs'> {
  /** How many requests the client's `fetch` sends at the same time. */
  connections?: number;
  /**
   * The shortest and the longest time for which a request or a response travels, in milliseconds.
   */
  latencyMs: readonly [least: number, most: number];
}

/** A planned call: when it is made, which client makes it, and when it is aborted. */
interface PlannedCall {
  atMs: number;
  client: number;
  abortAfterMs?: number | undefined;
}

/**
 * The calls of several processes that share one API key. Each process creates its own copy of all
 * the clients.
 */
interface Situation {
  quota: Quota;
  clients: Caller[];
  processes: PlannedCall[][];
  seed?: number;
  /** Whether a proxy removes the rate-limit headers. */
  isStripped?: boolean;
  /** How many requests another caller has already made with the API key. */
  usedBefore?: number;
  trouble?: 'none' | 'lost connections' | 'restart' | undefined;
}

/** The outcome of a call: the id of the added animal, or an error. */
type Outcome = { id: number } | { error: Error & { attempts: number; retryAfterMs?: number } };

/**
 * The number of simulated processes so far. Each of them uses its own base URL. With the same base
 * URL, their clients would share the quota state of the API key, because they run in one real
 * process.
 */
let played = 0;

/**
 * Makes the calls of a situation on a fake clock, and waits until every call has ended. Then checks
 * what must be true in every situation.
 */
export async function play({ quota, clients, processes, seed = 1, ...others }: Situation) {
  const { isStripped, usedBefore = 0, trouble } = others;
  const random = createSeededRandom(seed);
  vi.useFakeTimers({ loopLimit: 1e9, now: Date.UTC(2026, 10, 21) });
  vi.spyOn(Math, 'random').mockImplementation(random);
  try {
    const startedAtMs = Date.now();
    const service = simulateService(quota, { isStripped });
    const used = Math.min(usedBefore, quota.perMinute, quota.perDay);
    for (let count = 0; count < used; count++) service.take();
    const isDown = () => {
      const afterMs = Date.now() - startedAtMs;
      return trouble === 'restart' && afterMs >= 500 && afterMs < 2_500;
    };
    const faultShare = trouble === 'lost connections' ? 0.01 : 0;
    let endedAtMs = startedAtMs;
    const outcomes = processes.flatMap((calls) => {
      // Clients with different base URLs share no state, like clients in different processes.
      const baseUrl = `https://process-${++played}.example/v1`;
      const stores = clients.map(
        ({ connections = 1 / 0, latencyMs: [least, most], ...options }) => {
          const latencyMs = () => least + random() * (most - least);
          const way = { connections, latencyMs, faultShare, random, isDown };
          const fetch = service.connect(way);
          return createClient({ baseUrl, apiKey: 'ast_key', fetch, ...options });
        },
      );
      return calls.map(async ({ atMs, client, abortAfterMs }, index): Promise<Outcome> => {
        await new Promise((resolve) => setTimeout(resolve, atMs));
        const controller = new AbortController();
        if (abortAfterMs !== undefined) setTimeout(() => controller.abort(), abortAfterMs);
        const store = stores[client % stores.length] ?? expect.unreachable();
        const pet = { name: `${baseUrl} ${index}`, categoryId: 1 };
        const call = store.createPet(pet, { signal: controller.signal });
        const outcome = await call.catch((error) => ({ error }));
        endedAtMs = Date.now();
        return outcome;
      });
    });
    const all = Promise.all(outcomes);
    // `runAllTimersAsync` would be too slow, because it waits a millisecond for each timer.
    await nextTurn();
    while (vi.getTimerCount() > 0) {
      vi.advanceTimersToNextTimer();
      await nextTurn();
    }
    const { tally, animals } = service;
    checkGuarantees(tally, await all, animals);
    return { tally, outcomes: await all, tookMs: endedAtMs - startedAtMs };
  } finally {
    vi.useRealTimers();
    vi.restoreAllMocks();
  }
}

/**
 * Checks that the API key was never banned, that no animal was added twice, and that each failed
 * call has one of the four documented errors.
 */
function checkGuarantees(tally: Tally, outcomes: Outcome[], animals: string[]): void {
  expect(tally.banned).toBe(0);
  expect(new Set(animals).size).toBe(animals.length);
  const ids = outcomes.flatMap((outcome) => ('id' in outcome ? outcome.id : []));
  expect(new Set(ids).size).toBe(ids.length);
  const names = outcomes.flatMap((outcome) => ('error' in outcome ? outcome.error.name : []));
  const expected = ['RateLimitError', 'ConnectionError', 'TimeoutError', 'AbortError'];
  expect(names.filter((name) => !expected.includes(name))).toEqual([]);
}

const calls = fc
  .array(
    fc.record({
      atMs: fc.oneof(fc.constant(0), fc.nat(150_000)),
      count: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 200 })),
      everyMs: fc.constantFrom(0, 1, 100, 1_000),
      client: fc.nat(4),
      abortAfterMs: fc.option(fc.nat(5_000), { freq: 6, nil: undefined }),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((bursts) =>
    bursts.flatMap(({ atMs, count, everyMs, ...call }) =>
      Array.from({ length: count }, (_, index) => ({ ...call, atMs: atMs + index * everyMs })),
    ),
  );

const client = fc.record({
  connections: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(Number.POSITIVE_INFINITY)),
  latencyMs: fc.constantFrom(0, 10, 80, 800, 4_000).map((most) => [0, most] as const),
  timeoutMs: fc.constantFrom(50, 500, 30_000),
  maxRetries: fc.nat(3),
  maxRetryAfterMs: fc.constantFrom(0, 1_000, 60_000, Number.POSITIVE_INFINITY),
});

/** Generates a situation: a quota, and one or two processes that make calls with one API key. */
const anySituation: fc.Arbitrary<Situation> = fc.record({
  quota: fc.record({
    perMinute: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(60, 300, 1_000)),
    perDay: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constantFrom(1_000, 100_000)),
  }),
  isStripped: fc.boolean(),
  usedBefore: fc.constantFrom(0, 0, 1, 30),
  clients: fc.array(client, { minLength: 1, maxLength: 4 }),
  processes: fc.array(calls, { minLength: 1, maxLength: 2 }),
  trouble: fc.constantFrom('none', 'none', 'lost connections', 'restart'),
  seed: fc.nat(),
});

export const anyPatternIsSafe = fc.asyncProperty(
  anySituation,
  async (situation) => void (await play(situation)),
);
