import { type BanPolicy, defaultBanPolicy, type Quota } from '@animal-store/contract';
import { createQuotaModel, type ModelDecision } from '@animal-store/testkit/quota-model';
import fc from 'fast-check';

/** When every sequence begins, in Unix time in milliseconds. Not a whole second, where rounding would not show. */
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
export const policies: Readonly<Record<string, BanPolicy>> = {
  hasty,
  default: defaultBanPolicy,
  'without grace': { ...hasty, graceMs: 0 },
  'without bans': { ...hasty, minStrikes: 0 },
};

/** What happens next to three keys and two accounts, which are numbered; written so that a counterexample reads well. */
type Step =
  /** So many requests of each key, within the same millisecond. */
  | { readonly requests: readonly number[] }
  /** One request of a key every 500 ms for so long, whatever it is told. */
  | { readonly hammerMs: number; readonly key: number }
  | { readonly waitMs: number }
  /** Waits for the instant that the last answer told of, or misses it by that much. */
  | { readonly waitForReset: number }
  /** Waits as long as the last refusal said. */
  | { readonly waitRetryAfter: true }
  /** From now on the key has this plan. */
  | { readonly key: number; readonly plan: Quota }
  /** From now on the key has this account; `null` for none. */
  | { readonly key: number; readonly account: number | null }
  /** From now on the account has this plan; `null` makes it a label. */
  | { readonly account: number; readonly accountPlan: Quota | null };

/** Small enough for a sequence to use it up. */
const plan = fc.record({
  perMinute: fc.integer({ min: 1, max: 8 }),
  perDay: fc.integer({ min: 1, max: 25 }),
});
const key = fc.nat({ max: 2 });
const account = fc.nat({ max: 1 });
// Here, and not in the table below, where their types would be inferred from it.
const accountOrNone = fc.option(account);
const planOrNone = fc.option(plan, { freq: 3 });
const waitMs = fc.oneof(
  fc.integer({ min: 1, max: 3 }),
  fc.constantFrom(998, 999, 1_000, 1_001, 1_999, 2_000, 4_999, 5_000, 5_001, 29_999, 30_000),
  fc.constantFrom(59_999, 60_000, 60_001, 86_399_999, 86_400_000),
  fc.integer({ min: 1, max: 10_000 }),
  fc.integer({ min: 1, max: 90_000_000 }),
);

const weighted = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });

const ofKeys = [
  weighted(8, fc.record({ requests: fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 5 }), key) })),
  weighted(3, fc.record({ hammerMs: fc.integer({ min: 500, max: 20_000 }), key })),
  weighted(6, fc.record({ waitMs })),
  weighted(2, fc.record({ waitForReset: fc.constantFrom(-1, 0, 1) })),
  weighted(2, fc.constant({ waitRetryAfter: true })),
  weighted(1, fc.record({ key, plan })),
];
const ofAccounts = [
  weighted(3, fc.record({ key, account: accountOrNone })),
  weighted(3, fc.record({ account, accountPlan: planOrNone })),
];

const sequenceOf = (steps: typeof ofKeys, accountPlan: fc.Arbitrary<Quota | null>) =>
  fc.record({
    policy: fc.constantFrom(...Object.keys(policies)),
    plans: fc.tuple(plan, plan, plan),
    /** The keys are in the first account from the start. */
    accountPlan,
    steps: fc.array(fc.oneof(...steps), { minLength: 1, maxLength: 30 }),
  });

/** What happens to keys that share accounts, move between them, and lose and regain them. */
export const sequence = sequenceOf([...ofKeys, ...ofAccounts], fc.option(plan, { freq: 4 }));

/** What happens to keys that are their own subjects. */
export const sequenceWithoutAccounts = sequenceOf(ofKeys, fc.constant(null));

export type Sequence = typeof sequence extends fc.Arbitrary<infer S> ? S : never;

/** A request of one of the keys. */
export interface Request {
  readonly atMs: number;
  readonly key: number;
  /** The account that it counts against; `undefined` if its key is its own subject. */
  readonly account: number | undefined;
  readonly quota: Quota;
  /** What the model decides. */
  readonly expected: ModelDecision;
}

/** The subject of a key has changed. */
export interface Move {
  readonly key: number;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

export const isMove = (event: Request | Move): event is Move => 'to' in event;

export function policyOf({ policy }: Pick<Sequence, 'policy'>): BanPolicy {
  const found = policies[policy];
  if (found === undefined) throw new Error(`There is no policy ${policy}.`);
  return found;
}

/** Plays a sequence to the model: when each request comes, and what it is told. */
export function play(sequence: Sequence): (Request | Move)[] {
  const model = createQuotaModel(policyOf(sequence));
  const events: (Request | Move)[] = [];
  let now = startMs;
  let last: ModelDecision | undefined;
  const plans: Quota[] = [...sequence.plans];
  const labels: (number | null)[] = [0, 0, 0];
  const accountPlans: (Quota | null)[] = [sequence.accountPlan, null];

  const planOf = (account: number | null | undefined) => accountPlans[account ?? -1] ?? undefined;
  const accountOf = (key: number) =>
    planOf(labels[key]) === undefined ? undefined : (labels[key] ?? undefined);

  function send(key: number): void {
    const account = accountOf(key);
    const quota = planOf(account) ?? (plans[key] as Quota);
    const subject = account === undefined ? `key ${key}` : `account ${account}`;
    last = model.take({ id: `key ${key}`, subject, quota }, now);
    events.push({ atMs: now, key, account, quota, expected: last });
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
    else if ('waitMs' in step) now += step.waitMs;
    else if ('waitRetryAfter' in step) now += (last?.retryAfterSeconds ?? 0) * 1_000;
    else now = Math.max(now, (last?.reported.resetAt ?? 0) * 1_000 + step.waitForReset);
  }
  return events;
}

/** All that a decision tells, in one line, so that a difference is seen at a glance. */
export function describeDecision(decision: ModelDecision): string {
  const { outcome, reported, windows, retryAfterSeconds, warned } = decision;
  const all = windows.map(
    ({ name, limit, remaining, resetAt, resetInSeconds }) =>
      `${name} ${remaining}/${limit} @${resetAt - 1_800_000_000} in ${resetInSeconds}`,
  );
  const { name, limit, remaining, resetAt } = reported;
  return [
    outcome,
    `by ${name} ${remaining}/${limit} @${resetAt - 1_800_000_000}`,
    ...(retryAfterSeconds > 0 ? [`wait ${retryAfterSeconds}`] : []),
    ...(warned ? ['warned'] : []),
    `(${all.join(', ')})`,
  ].join(' ');
}
