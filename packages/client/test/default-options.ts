import { plans, type Quota } from '@animal-store/contract';
import { createSeededRandom } from '@animal-store/testkit/seeded-random';
import { expect, vi } from 'vitest';
import { createClient, isAnimalStoreError } from '../src/index.ts';
import { simulateService } from './simulated-service.ts';

/** Many calls at once, with the default options. */
export interface Burst {
  calls: number;
  plan: keyof typeof quotas;
  /** Clients that share a process, and processes that share the key. */
  clients: number;
  processes: number;
  latencyMs: number;
  trouble: 'none' | 'faults' | 'restart';
}

const quotas = {
  Free: plans.free,
  Pro: plans.pro,
  '5 a minute': { perMinute: 5, perDay: 1_000 },
} satisfies Record<string, Quota>;

/** Every combination. */
const bursts = (['Free', 'Pro', '5 a minute'] as const).flatMap((plan) =>
  [1, 60, 100, 1_000].flatMap((calls) =>
    [
      { clients: 1, processes: 1 },
      { clients: 3, processes: 1 },
      { clients: 3, processes: 3 },
    ].flatMap((who) =>
      [0, 200].flatMap((latencyMs) =>
        (['none', 'faults', 'restart'] as const).map(
          (trouble): Burst => ({ plan, calls, ...who, latencyMs, trouble }),
        ),
      ),
    ),
  ),
);

/** A thousand calls take long to simulate. `npm test` has them for one plan, in the most difficult place. */
const isOfNormalRun = ({ calls, plan, clients, latencyMs }: Burst) =>
  calls < 1_000 || (plan === 'Pro' && clients === 3 && latencyMs > 0);

export const normalBursts = bursts.filter(isOfNormalRun);
export const heavyBursts = bursts.filter((burst) => !isOfNormalRun(burst));

let runs = 0;

/** Plays a burst on a fake clock, and checks what the README promises of it. */
export async function playBurst(burst: Burst): Promise<void> {
  const { plan, calls, clients, processes, latencyMs, trouble } = burst;
  const quota = quotas[plan];
  const random = createSeededRandom(++runs);
  vi.useFakeTimers({ loopLimit: 1e9, now: Date.UTC(2026, 10, 21) });
  vi.spyOn(Math, 'random').mockImplementation(random);
  try {
    const startedAtMs = Date.now();
    const service = simulateService(quota);
    const way = {
      random,
      faultShare: trouble === 'faults' ? 0.01 : 0,
      down:
        trouble === 'restart'
          ? { fromMs: startedAtMs + 500, toMs: startedAtMs + 2_500 }
          : undefined,
    };
    const fetch = service.connect(Number.POSITIVE_INFINITY, () => latencyMs / 2, way);
    const stores = Array.from({ length: clients }, (_, index) => {
      // Clients of different addresses share nothing, like those of different processes.
      const baseUrl = `https://burst-${runs}-${index % processes}.example/v1`;
      return createClient({ baseUrl, apiKey: 'ast_key', fetch });
    });
    let endedAtMs = startedAtMs;
    const outcomes = Array.from({ length: calls }, async (_, index) => {
      const store = stores[index % clients] ?? expect.unreachable();
      const outcome = await store.createPet({ name: `${index}`, categoryId: 1 }).then(
        ({ id }) => id,
        (error: unknown) => (isAnimalStoreError(error) ? error.name : expect.unreachable()),
      );
      endedAtMs = Date.now();
      return outcome;
    });
    const all = Promise.all(outcomes);
    await vi.runAllTimersAsync();
    check(burst, quota, service, { outcomes: await all, tookMs: endedAtMs - startedAtMs });
  } finally {
    vi.useRealTimers();
    vi.restoreAllMocks();
  }
}

function check(
  { calls, processes, trouble }: Burst,
  quota: Quota,
  { tally, animals }: ReturnType<typeof simulateService>,
  { outcomes, tookMs }: { outcomes: (number | string)[]; tookMs: number },
): void {
  const ids = outcomes.filter((outcome) => typeof outcome === 'number');
  expect(tally.banned).toBe(0);
  expect(new Set(animals).size).toBe(animals.length);
  expect(new Set(ids).size).toBe(ids.length);

  const reasons = new Set(outcomes.filter((outcome) => typeof outcome === 'string'));
  const named = trouble === 'none' ? ['RateLimitError'] : ['RateLimitError', 'ConnectionError'];
  expect(named).toEqual(expect.arrayContaining([...reasons]));
  // In one process, all that the minute now and the next one have room for succeeds.
  const room = Math.min(calls, 2 * quota.perMinute);
  if (processes === 1 && trouble === 'none') expect(ids).toHaveLength(room);

  // Each window that was needed, and a tenth of a minute.
  const windows = Math.ceil(tally.admitted / quota.perMinute);
  expect(tookMs).toBeLessThanOrEqual(60_000 * (windows - 1) + 6_000 * Math.max(1, windows));
}
