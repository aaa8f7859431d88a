import type { BanPolicy, Quota } from '@animal-store/contract';
import { type Redis, openRedis as startRedis } from '@animal-store/testkit';
import {
  createQuotaModel,
  type ModelDecision,
  type QuotaModel,
} from '@animal-store/testkit/quota-model';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openRedis, type RedisConnection } from '../../src/quotas/open-redis.ts';
import type { QuotaResult } from '../../src/quotas/quota-result.ts';
import type { Quotas } from '../../src/quotas/quotas.ts';
import { createMemoryQuotas, createRedisQuotas } from './open-limiters.ts';
import { suiteOptions } from './quota-subject.ts';

const startMs = 1_800_000_000_321;

/** Short enough for a sequence to see several bans, and the end of all that is remembered. */
const hasty: BanPolicy = {
  graceMs: 1_000,
  minStrikes: 2,
  strikeShare: 0.5,
  strikeWindowSeconds: 5,
  banSeconds: 2,
  maxBanSeconds: 7,
  memorySeconds: 30,
};
const policies: Record<string, BanPolicy> = {
  hasty,
  default: suiteOptions.banPolicy,
  'without grace': { ...hasty, graceMs: 0 },
  'without bans': { ...hasty, minStrikes: 0 },
};

/** What happens next to the one key of a sequence; written so that a counterexample reads well. */
type Step =
  /** So many requests within the same millisecond. */
  | { readonly requests: number }
  /** One request every 500 ms for so long, whatever it is told. */
  | { readonly hammerMs: number }
  | { readonly waitMs: number }
  /** Waits for the instant that the last answer told of, or misses it by that much. */
  | { readonly waitForReset: number }
  /** Waits as long as the last refusal said. */
  | { readonly waitRetryAfter: true }
  /** From now on the key has this plan. */
  | { readonly plan: Quota };

/** A quota that nobody reaches. */
const wide: Quota = { perMinute: 1_000_000, perDay: 1_000_000 };

const plan = fc.record({
  perMinute: fc.integer({ min: 1, max: 8 }),
  perDay: fc.integer({ min: 1, max: 25 }),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ requests: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 2, arbitrary: fc.record({ hammerMs: fc.integer({ min: 500, max: 20_000 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      waitMs: fc.oneof(
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom(998, 999, 1_000, 1_001, 1_999, 2_000, 4_999, 5_000, 5_001, 29_999, 30_000),
        fc.constantFrom(59_999, 60_000, 60_001, 86_399_999, 86_400_000),
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 1, max: 90_000_000 }),
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ waitForReset: fc.constantFrom(-1, 0, 1) }) },
  { weight: 2, arbitrary: fc.constant<Step>({ waitRetryAfter: true }) },
  { weight: 1, arbitrary: fc.record({ plan }) },
);

const sequence = fc.record({
  policy: fc.constantFrom(...Object.keys(policies)),
  plan,
  steps: fc.array(step, { minLength: 1, maxLength: 30 }),
});

type Sequence = typeof sequence extends fc.Arbitrary<infer S> ? S : never;

interface Request {
  readonly atMs: number;
  readonly plan: Quota;
  readonly expected: ModelDecision;
}

/** Plays a sequence to the model: when each request comes, with which plan, and what it is told. */
function play(sequence: Sequence, model: QuotaModel): Request[] {
  const requests: Request[] = [];
  let now = startMs;
  let { plan } = sequence;
  const send = () => requests.push({ atMs: now, plan, expected: model.take(plan, now) });
  for (const step of sequence.steps) {
    const last = requests.at(-1)?.expected;
    if ('requests' in step) {
      for (let i = 0; i < step.requests; i += 1) send();
    } else if ('hammerMs' in step) {
      const endsAt = now + step.hammerMs;
      for (; now < endsAt; now += 500) send();
    } else if ('waitMs' in step) now += step.waitMs;
    else if ('waitRetryAfter' in step) now += (last?.retryAfterSeconds ?? 0) * 1_000;
    else if ('plan' in step) plan = step.plan;
    else now = Math.max(now, (last?.reported.resetAt ?? 0) * 1_000 + step.waitForReset);
  }
  return requests;
}

function policyOf({ policy }: Sequence): BanPolicy {
  const found = policies[policy];
  if (found === undefined) throw new Error(`There is no policy ${policy}.`);
  return found;
}

/** A line a request, so that a difference is seen at a glance. */
function line({ atMs, plan }: Request, decision: ModelDecision): string {
  const windows = decision.windows.map(
    ({ name, limit, remaining, resetAt, resetInSeconds }) =>
      `${name} ${remaining}/${limit} until ${resetAt} in ${resetInSeconds} s`,
  );
  const { name, limit, remaining, resetAt } = decision.reported;
  return [
    `+${atMs - startMs} ms, ${plan.perMinute}/minute ${plan.perDay}/day: ${decision.outcome}`,
    `reported ${name} ${remaining}/${limit} until ${resetAt}`,
    ...windows,
    `retry after ${decision.retryAfterSeconds} s`,
    ...(decision.warned ? ['warned'] : []),
  ].join(', ');
}

function compare(requests: readonly Request[], decisions: readonly QuotaResult[]): void {
  expect(requests.map((request, i) => line(request, decisions[i] as QuotaResult))).toEqual(
    requests.map((request) => line(request, request.expected)),
  );
}

test('the sequences reach every outcome, and further bans', () => {
  const seen = new Map<string, number>();
  const see = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  fc.assert(
    fc.property(sequence, (sequence) => {
      const requests = play(sequence, createQuotaModel(policyOf(sequence)));
      let last = 'admitted';
      for (const { expected } of requests) {
        see(expected.warned ? 'warned' : expected.outcome);
        if (expected.outcome === 'banned' && last !== 'banned') {
          see(`a ban of ${expected.retryAfterSeconds} s`);
        }
        if (expected.outcome === 'admitted' && last === 'banned') see('freed');
        if (expected.outcome === 'denied' && expected.reported.limit === expected.windows[1]?.limit)
          see('denied by the day');
        last = expected.outcome;
      }
    }),
    { numRuns: 2_000, seed: 1 },
  );
  const reached = [...seen].filter(([, times]) => times >= 10).map(([what]) => what);
  expect(reached).toEqual(
    expect.arrayContaining([
      ...['admitted', 'denied', 'warned', 'banned', 'freed', 'denied by the day'],
      ...['a ban of 2 s', 'a ban of 4 s', 'a ban of 7 s', 'a ban of 300 s'],
    ]),
  );
});

describe('on Redis', () => {
  let server: Redis;
  let redis: RedisConnection;
  let now = 0;
  /** By policy; two replicas each, because a replica remembers bans. */
  let replicas: Map<string, [Quotas, Quotas]>;
  let lastId = 0;
  const nextId = () => {
    lastId += 1;
    return `sequence-${lastId}`;
  };

  beforeAll(async () => {
    server = await startRedis();
    redis = openRedis([server.url]);
    await new Promise((resolve) => redis.once('ready', resolve));
    const open = (banPolicy: BanPolicy) =>
      createRedisQuotas({ ...suiteOptions, banPolicy, redis, now: () => now });
    replicas = new Map(
      Object.entries(policies).map(([name, policy]) => [name, [open(policy), open(policy)]]),
    );
  });
  afterAll(async () => {
    redis.disconnect();
    await server.close();
  });

  const replicasOf = ({ policy }: Sequence) => {
    const found = replicas.get(policy);
    if (found === undefined) throw new Error(`There are no replicas with the policy ${policy}.`);
    return found;
  };

  test('batches are decided as the model decides their requests one by one', async () => {
    await fc.assert(
      fc.asyncProperty(sequence, async (sequence) => {
        const requests = play(sequence, createQuotaModel(policyOf(sequence)));
        const [quotas] = replicasOf(sequence);
        // Two keys do the same, so that batches have requests of several keys.
        const keys = [nextId(), nextId()].map((id) => ({ id, decisions: [] as QuotaResult[] }));
        for (const [atMs, atOnce] of Map.groupBy(requests, ({ atMs }) => atMs)) {
          now = atMs;
          for (const { id } of keys) quotas.forgetBan(id);
          // Sent at once. All others share the batches after it.
          const first = quotas.takeForKey({ id: 'first', quota: wide });
          const decisions = await Promise.all(
            atOnce.map(({ plan }) =>
              Promise.all(keys.map(({ id }) => quotas.takeForKey({ id, quota: plan }))),
            ),
          );
          for (const [i, key] of keys.entries()) {
            key.decisions.push(...decisions.map((both) => both[i] as QuotaResult));
          }
          await first;
        }
        for (const { decisions } of keys) compare(requests, decisions);
      }),
      { numRuns: 150 },
    );
  });

  test('two replicas, each remembering bans, decide as the model does', async () => {
    const whose = fc.infiniteStream(fc.nat({ max: 1 }));
    await fc.assert(
      fc.asyncProperty(sequence, whose, async (sequence, whose) => {
        const requests = play(sequence, createQuotaModel(policyOf(sequence)));
        const quotas = replicasOf(sequence);
        const id = nextId();
        const decisions: QuotaResult[] = [];
        for (const { atMs, plan } of requests) {
          now = atMs;
          const replica = quotas[whose.next().value as 0 | 1];
          decisions.push(await replica.takeForKey({ id, quota: plan }));
        }
        compare(requests, decisions);
      }),
      { numRuns: 200 },
    );
  });
});

describe('in memory', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: startMs, toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('the limiter decides as the model does', async () => {
    const quotasOf = new Map(
      Object.entries(policies).map(([name, banPolicy]) => [
        name,
        createMemoryQuotas({ ...suiteOptions, banPolicy }),
      ]),
    );
    let sequences = 0;
    await fc.assert(
      fc.asyncProperty(sequence, async (sequence) => {
        sequences += 1;
        const requests = play(sequence, createQuotaModel(policyOf(sequence)));
        const quotas = quotasOf.get(sequence.policy);
        const decisions: QuotaResult[] = [];
        for (const { atMs, plan } of requests) {
          vi.setSystemTime(atMs);
          const decision = await quotas?.takeForKey({ id: `key ${sequences}`, quota: plan });
          if (decision !== undefined) decisions.push(decision);
        }
        compare(requests, decisions);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a client that waits as long as Retry-After says', () => {
  interface Client {
    readonly quota: Quota;
    /** Requests it may have on their way at the same time. */
    readonly callers: number;
    /** Each way; a second is the grace, and there and back is less. */
    readonly latencyMs: number;
    /** The longest pause between an answer and the next request of the same caller. */
    readonly pauseMs: number;
    readonly seed: number;
  }

  const client: fc.Arbitrary<Client> = fc.record({
    quota: fc.record({
      perMinute: fc.integer({ min: 1, max: 120 }),
      perDay: fc.constantFrom(1, 10, 100, 1_000, 100_000),
    }),
    callers: fc.integer({ min: 1, max: 40 }),
    latencyMs: fc.integer({ min: 0, max: 499 }),
    pauseMs: fc.constantFrom(0, 10, 100, 1_000, 20_000),
    seed: fc.integer(),
  });

  type Stage = 'sends' | 'is decided' | 'hears';

  /** Lets a client loose on a key, and gives what it was told. */
  function run({ quota, callers, latencyMs, pauseMs, seed }: Client): Set<string> {
    const model = createQuotaModel(suiteOptions.banPolicy);
    const random = createRandom(seed);
    const upTo = (ms: number) => Math.floor(random() * (ms + 1));
    const told = new Set<string>();
    // All callers of a client know what one of them was told.
    let waitsUntil = 0;
    const all = Array.from({ length: callers }, () => ({
      stage: 'sends' as Stage,
      at: startMs + upTo(pauseMs),
      waitMs: 0,
    }));

    for (let events = 0; events < 900; events += 1) {
      const caller = all.reduce((a, b) => (b.at < a.at ? b : a));
      const { at } = caller;
      switch (caller.stage) {
        case 'sends':
          if (at < waitsUntil) caller.at = waitsUntil;
          else Object.assign(caller, { stage: 'is decided', at: at + upTo(latencyMs) });
          break;
        case 'is decided': {
          const { outcome, retryAfterSeconds } = model.take(quota, at);
          told.add(outcome);
          caller.waitMs = retryAfterSeconds * 1_000;
          Object.assign(caller, { stage: 'hears', at: at + upTo(latencyMs) });
          break;
        }
        case 'hears':
          if (caller.waitMs > 0) waitsUntil = Math.max(waitsUntil, at + caller.waitMs);
          Object.assign(caller, { stage: 'sends', at: at + upTo(pauseMs) });
          break;
      }
    }
    return told;
  }

  test('is never banned, in 10,000 runs', () => {
    let denied = 0;
    fc.assert(
      fc.property(client, (client) => {
        const told = run(client);
        if (told.has('denied')) denied += 1;
        expect(told).not.toContain('banned');
      }),
      { numRuns: 10_000 },
    );
    // Most of them do use up what they have.
    expect(denied).toBeGreaterThan(5_000);
  });

  test('would be banned in these runs if it did not wait', () => {
    const impatient = fc.sample(client, { numRuns: 200, seed: 1 }).map((client) => {
      const model = createQuotaModel(suiteOptions.banPolicy);
      let outcome = 'admitted';
      for (let i = 0; i < 900 && outcome !== 'banned'; i += 1) {
        outcome = model.take(client.quota, startMs + i * 100).outcome;
      }
      return outcome;
    });
    expect(new Set(impatient)).toEqual(new Set(['banned']));
  });
});

/** Mulberry32: numbers from 0 to 1, the same ones for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
