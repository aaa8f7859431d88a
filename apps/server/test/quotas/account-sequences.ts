import type { Quota } from '@animal-store/contract';
import type { SharedQuotaModel } from '@animal-store/testkit/quota-model';
import fc from 'fast-check';
import {
  plan,
  policies,
  type Request,
  startMs,
  timeAfter,
  type Wait,
  waits,
} from './quota-sequences.ts';

/** What happens next to the keys and accounts of a sequence. Both are numbered. */
type Step =
  /** So many requests of each key, within the same millisecond. */
  | { readonly requests: readonly number[] }
  /** One request of a key every 500 ms for so long, whatever it is told. */
  | { readonly hammerMs: number; readonly key: number }
  | Wait
  /** From now on the key has this account; `null` for none. */
  | { readonly key: number; readonly account: number | null }
  /** From now on the account has this plan; `null` makes it a label. */
  | { readonly account: number; readonly accountPlan: Quota | null }
  | { readonly key: number; readonly plan: Quota };

const key = fc.nat({ max: 2 });
const account = fc.nat({ max: 1 });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      requests: fc.tuple(fc.nat({ max: 8 }), fc.nat({ max: 5 }), fc.nat({ max: 5 })),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ hammerMs: fc.integer({ min: 500, max: 20_000 }), key }),
  },
  ...waits,
  { weight: 3, arbitrary: fc.record({ key, account: fc.option(account) }) },
  { weight: 3, arbitrary: fc.record({ account, accountPlan: fc.option(plan, { freq: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ key, plan }) },
);

/** What happens to three keys and two accounts, in order. */
export const accountSequence = fc.record({
  policy: fc.constantFrom(...Object.keys(policies)),
  plans: fc.tuple(plan, plan, plan),
  /** The keys are in the first account from the start. */
  accountPlan: fc.option(plan, { freq: 4 }),
  steps: fc.array(step, { minLength: 1, maxLength: 30 }),
});

export type AccountSequence = typeof accountSequence extends fc.Arbitrary<infer S> ? S : never;

/** A request of one of the keys. */
export interface SharedRequest extends Request {
  readonly key: number;
  /** The account that it counts against; `undefined` if its key is its own subject. */
  readonly account: number | undefined;
}

/** The subject of a key has changed. */
export interface Move {
  readonly key: number;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Plays a sequence to the model. */
export function playAccounts(
  sequence: AccountSequence,
  model: SharedQuotaModel,
): (SharedRequest | Move)[] {
  const events: (SharedRequest | Move)[] = [];
  let now = startMs;
  let last: Request['expected'] | undefined;
  const plans: Quota[] = [...sequence.plans];
  const labels: (number | null)[] = [0, 0, 0];
  const accountPlans: (Quota | null)[] = [sequence.accountPlan, null];

  const planOf = (account: number | null | undefined) => accountPlans[account ?? -1] ?? undefined;
  const accountOf = (key: number) => {
    const label = labels[key];
    return planOf(label) === undefined ? undefined : (label ?? undefined);
  };
  function send(key: number): void {
    const account = accountOf(key);
    const quota = planOf(account) ?? (plans[key] as Quota);
    const subject = account === undefined ? `key ${key}` : `account ${account}`;
    last = model.take({ id: `key ${key}`, subject, quota }, now);
    events.push({ atMs: now, key, account, plan: quota, expected: last });
  }
  /** Makes a change, and notes whose subject it changes. */
  function change(make: () => void): void {
    const before = [0, 1, 2].map(accountOf);
    make();
    for (const [key, from] of before.entries()) {
      const to = accountOf(key);
      if (to !== from) events.push({ key, from, to });
    }
  }

  for (const step of sequence.steps) {
    if ('requests' in step) {
      for (const [key, times] of step.requests.entries()) {
        for (let i = 0; i < times; i += 1) send(key);
      }
    } else if ('hammerMs' in step) {
      const endsAt = now + step.hammerMs;
      for (; now < endsAt; now += 500) send(step.key);
    } else if ('accountPlan' in step) {
      change(() => {
        accountPlans[step.account] = step.accountPlan;
      });
    } else if ('account' in step) {
      change(() => {
        labels[step.key] = step.account;
      });
    } else if ('plan' in step) plans[step.key] = step.plan;
    else now = timeAfter(step, now, last);
  }
  return events;
}

export const isMove = (event: SharedRequest | Move): event is Move => 'to' in event;
