import { createSeededRandom } from '@animal-store/testkit/seeded-random';
import fc from 'fast-check';
import { expect, vi } from 'vitest';
import { createClient } from '../src/index.ts';
import { simulateService } from './simulated-service.ts';

// The same cases in every run.
fc.configureGlobal({ seed: 1 });

/** Calls of one process: bursts, when they begin, through which client, and when they are aborted. */
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
  maxLatencyMs: fc.constantFrom(0, 10, 80, 800, 4_000),
  timeoutMs: fc.constantFrom(50, 500, 30_000),
  maxRetries: fc.nat(3),
  maxRetryAfterMs: fc.constantFrom(0, 1_000, 60_000, Number.POSITIVE_INFINITY),
});

/** Two or fewer processes that use one key, and its quota. */
export const situation = fc.record({
  quota: fc.record({
    perMinute: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(60, 300, 1_000)),
    perDay: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constantFrom(1_000, 100_000)),
  }),
  isStripped: fc.boolean(),
  usedBefore: fc.oneof(fc.constant(0), fc.nat(100)),
  clients: fc.array(client, { minLength: 1, maxLength: 4 }),
  processes: fc.array(calls, { minLength: 1, maxLength: 2 }),
  seed: fc.nat(),
});

type Situation = typeof situation extends fc.Arbitrary<infer T> ? T : never;

/** Each run is of other keys, as the quota of a key is known to the whole process. */
let runs = 0;

/** Plays a situation on a fake clock until every call has ended, and gives what the service saw. */
export async function play({ quota, isStripped, usedBefore, clients, processes, seed }: Situation) {
  const random = createSeededRandom(seed);
  vi.useFakeTimers({ loopLimit: 1e9, now: Date.UTC(2026, 10, 21) });
  vi.spyOn(Math, 'random').mockImplementation(random);
  try {
    const service = simulateService(quota, { isStripped });
    for (let used = 0; used < Math.min(usedBefore, quota.perMinute, quota.perDay); used++) {
      service.take();
    }
    const outcomes = processes.flatMap((calls, index) => {
      // Clients of different addresses share nothing, like those of different processes.
      const baseUrl = `https://process-${++runs}-${index}.example/v1`;
      const stores = clients.map(({ connections, maxLatencyMs, ...options }) => {
        const fetch = service.connect(connections, () => random() * maxLatencyMs);
        return createClient({ baseUrl, apiKey: 'ast_key', fetch, ...options });
      });
      return calls.map(async ({ atMs, client: number, abortAfterMs }) => {
        await new Promise((resolve) => setTimeout(resolve, atMs));
        const controller = new AbortController();
        if (abortAfterMs !== undefined) setTimeout(() => controller.abort(), abortAfterMs);
        const store = stores[number % stores.length] ?? expect.unreachable();
        return await store.listPets({}, { signal: controller.signal }).then(
          () => 'answered',
          (error: Error) => error.name,
        );
      });
    });
    const ended = Promise.all(outcomes);
    await vi.runAllTimersAsync();
    return { tally: service.tally, outcomes: await ended };
  } finally {
    vi.useRealTimers();
    vi.restoreAllMocks();
  }
}
