import type { BanPolicy, Quota } from '@animal-store/contract';
import type { ModelDecision, QuotaModel } from '@animal-store/testkit/quota-model';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { QuotaDecision } from '../../src/quotas/quota-decision.ts';
import { suiteOptions } from './quota-subject.ts';

/** When every sequence begins, in Unix time in milliseconds. */
export const startMs = 1_800_000_000_321;

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
/** The policies of bans that sequences are played with. */
export const policies: Record<string, BanPolicy> = {
  hasty,
  default: suiteOptions.banPolicy,
  'without grace': { ...hasty, graceMs: 0 },
  'without bans': { ...hasty, minStrikes: 0 },
};

/** A step that lets time pass. */
export type Wait =
  | { readonly waitMs: number }
  /** Waits for the instant that the last answer told of, or misses it by that much. */
  | { readonly waitForReset: number }
  /** Waits as long as the last refusal said. */
  | { readonly waitRetryAfter: true };

/** What happens next to the one key of a sequence; written so that a counterexample reads well. */
type Step =
  /** So many requests within the same millisecond. */
  | { readonly requests: number }
  /** One request every 500 ms for so long, whatever it is told. */
  | { readonly hammerMs: number }
  | Wait
  /** From now on the key has this plan. */
  | { readonly plan: Quota };

/** Small enough for a sequence to use it up. */
export const plan = fc.record({
  perMinute: fc.integer({ min: 1, max: 8 }),
  perDay: fc.integer({ min: 1, max: 25 }),
});

/** Steps that let time pass. */
export const waits = [
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
  { weight: 2, arbitrary: fc.constant({ waitRetryAfter: true } as const) },
];

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ requests: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 2, arbitrary: fc.record({ hammerMs: fc.integer({ min: 500, max: 20_000 }) }) },
  ...waits,
  { weight: 1, arbitrary: fc.record({ plan }) },
);

/** What happens to one key, in order. */
export const sequence = fc.record({
  policy: fc.constantFrom(...Object.keys(policies)),
  plan,
  steps: fc.array(step, { minLength: 1, maxLength: 30 }),
});

export type Sequence = typeof sequence extends fc.Arbitrary<infer S> ? S : never;

export interface Request {
  readonly atMs: number;
  readonly plan: Quota;
  readonly expected: ModelDecision;
}

/** Plays a sequence to the model: when each request comes, with which plan, and what it is told. */
export function play(sequence: Sequence, model: QuotaModel): Request[] {
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
    } else if ('plan' in step) plan = step.plan;
    else now = timeAfter(step, now, last);
  }
  return requests;
}

/** What time it is after a wait. */
export function timeAfter(step: Wait, now: number, last: ModelDecision | undefined): number {
  if ('waitMs' in step) return now + step.waitMs;
  if ('waitRetryAfter' in step) return now + (last?.retryAfterSeconds ?? 0) * 1_000;
  return Math.max(now, (last?.reported.resetAt ?? 0) * 1_000 + step.waitForReset);
}

export function policyOf({ policy }: Pick<Sequence, 'policy'>): BanPolicy {
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

/** Expects that requests were decided as the model decides them. */
export function compare(requests: readonly Request[], decisions: readonly QuotaDecision[]): void {
  expect(requests.map((request, i) => line(request, decisions[i] as QuotaDecision))).toEqual(
    requests.map((request) => line(request, request.expected)),
  );
}
