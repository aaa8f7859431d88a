import assert from 'node:assert/strict';
import { createQuotaModel, type ModelDecision } from '@animal-store/testkit/quota-model';
import fc from 'fast-check';
import { type BanPolicy, defaultBanPolicy, type Quota } from '../src/index.ts';
import type { TestQuotas } from './open-test-quotas.ts';
import { startMs } from './open-test-quotas.ts';

/**
 * A ban policy with short times, so that a sequence contains several bans, and all stored state
 * expires within the sequence.
 */
const strictPolicy: BanPolicy = {
  graceMs: 1_000,
  minStrikes: 2,
  strikeShare: 0.5,
  strikeWindowSeconds: 5,
  banSeconds: 2,
  maxBanSeconds: 7,
  memorySeconds: 30,
};

/** The ban policies that the random sequences use. */
export const policies = {
  strictPolicy,
  default: defaultBanPolicy,
  'without grace': { ...strictPolicy, graceMs: 0 },
  'without bans': { ...strictPolicy, minStrikes: 0 },
} satisfies Record<string, BanPolicy>;

type PolicyName = keyof typeof policies;

/** Generates a quota that is small enough for a sequence to use it up. */
const plan = fc.record({
  perMinute: fc.integer({ min: 1, max: 8 }),
  perDay: fc.integer({ min: 1, max: 25 }),
});
const account = fc.option(fc.nat({ max: 1 }), { nil: undefined, freq: 2 });
const wait = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.constant('as long as Retry-After says' as const) },
  { weight: 2, arbitrary: fc.record({ msAfterReset: fc.constantFrom(-1, 0, 1) }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...[1, 2, 999, 1_000, 1_001, 1_999, 2_000, 4_999, 5_000, 5_001, 29_999, 30_000],
      ...[59_999, 60_000, 60_001, 86_399_999, 86_400_000],
    ),
  },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 10_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 90_000_000 }) },
  // A negative wait sets the clock back.
  { weight: 1, arbitrary: fc.constantFrom(-1, -1_000, -61_000, -3_600_000, -90_000_000) },
);
const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/**
 * Generates a sequence of steps for three API keys and two accounts. Numbers identify the API keys
 * and accounts, so that a counterexample is easy to read.
 */
const sequence = fc.record({
  policy: fc.constantFrom(...(Object.keys(policies) as PolicyName[])),
  accounts: fc.tuple(account, account, account),
  plansOfKeys: fc.tuple(plan, plan, plan),
  plansOfAccounts: fc.tuple(plan, plan),
  steps: fc.array(
    fc.record({
      wait,
      unban: rarely(fc.nat({ max: 2 })),
      move: rarely(fc.record({ key: fc.nat({ max: 2 }), to: account })),
      newPlan: rarely(fc.record({ account, key: fc.nat({ max: 2 }), plan })),
      /**
       * The number of requests of each of the three API keys. All these requests arrive in the same
       * millisecond.
       */
      requests: fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 5 }), fc.nat({ max: 1 })),
      /** How many times the requests are repeated, once every half second. */
      rounds: rarely(fc.integer({ min: 2, max: 30 })),
    }),
    { minLength: 1, maxLength: 30 },
  ),
});

/** Generates sequences in which no API key has an account. */
export const sequenceWithoutAccounts = sequence.map(
  ({ steps, ...rest }): Sequence => ({
    ...rest,
    accounts: [undefined, undefined, undefined],
    steps: steps.map((step) => ({ ...step, move: undefined })),
  }),
);

type Sequence = typeof sequence extends fc.Arbitrary<infer S> ? S : never;

interface Request {
  readonly key: number;
  readonly account: number | undefined;
  readonly quota: Quota;
  /** The decision that the model expects. */
  readonly expected: ModelDecision;
}

type Event =
  | { readonly unbanned: number; readonly account: number | undefined }
  | { readonly move: { key: number; from: number | undefined; to: number | undefined } }
  | { readonly atMs: number; readonly burst: readonly Request[] };

/** Plays a sequence with the model. Returns the events with the expected decisions. */
export function play({ policy, accounts, plansOfKeys, plansOfAccounts, steps }: Sequence): Event[] {
  const model = createQuotaModel(policies[policy]);
  const events: Event[] = [];
  let now = startMs;
  let last: ModelDecision | undefined;

  function take(key: number): Request {
    const account = accounts[key];
    const quota = (account === undefined ? plansOfKeys[key] : plansOfAccounts[account]) as Quota;
    const subject = account === undefined ? `key ${key}` : `account ${account}`;
    last = model.take({ id: `key ${key}`, subject, quota }, now);
    return { key, account, quota, expected: last };
  }

  for (const { wait, unban, move, newPlan, requests, rounds = 1 } of structuredClone(steps)) {
    if (typeof wait === 'number') now += wait;
    else if (typeof wait === 'string') now += (last?.retryAfterSeconds ?? 0) * 1_000;
    else now = Math.max(now, (last?.reported.resetAt ?? 0) * 1_000 + wait.msAfterReset);
    if (unban !== undefined) {
      model.unban(`key ${unban}`);
      events.push({ unbanned: unban, account: accounts[unban] });
    }
    if (move !== undefined && move.to !== accounts[move.key]) {
      events.push({ move: { ...move, from: accounts[move.key] } });
      accounts[move.key] = move.to;
    }
    if (newPlan?.account !== undefined) plansOfAccounts[newPlan.account] = newPlan.plan;
    else if (newPlan !== undefined) plansOfKeys[newPlan.key] = newPlan.plan;
    for (let round = 0; round < rounds; round += 1) {
      if (round > 0) now += 500;
      const burst = requests.flatMap((times, key) =>
        Array.from({ length: times }, () => take(key)),
      );
      events.push({ atMs: now, burst });
    }
  }
  return events;
}

/**
 * Creates a property (a test with random input) that all stores must have. The stores must decide
 * each request of a random sequence like the model, whichever replica receives it, and even if
 * requests are concurrent.
 *
 * @param open opens the replicas, which share one store.
 */
export async function createSequenceProperty(
  open: (options: { banPolicy: BanPolicy; now: () => number }) => Promise<readonly TestQuotas[]>,
) {
  let now = startMs;
  const replicas = new Map<PolicyName, readonly TestQuotas[]>();
  for (const [name, banPolicy] of Object.entries(policies)) {
    replicas.set(name as PolicyName, await open({ banPolicy, now: () => now }));
  }

  return fc.asyncProperty(
    sequence,
    fc.infiniteStream(fc.nat({ max: 1 })),
    async ({ ...generated }, replicaChoice) => {
      const sharedReplicas = replicas.get(generated.policy) as readonly TestQuotas[];
      // The random text makes the ids unique to this run.
      const run = crypto.randomUUID();
      const placed = (key: number, account: number | undefined) => ({
        id: `${run}-key-${key}`,
        accountId: account === undefined ? undefined : `${run}-account-${account}`,
      });
      for (const event of play(structuredClone(generated))) {
        const { keys } = sharedReplicas[
          (replicaChoice.next().value as number) % sharedReplicas.length
        ] as TestQuotas;
        if ('unbanned' in event) {
          await keys.unban(placed(event.unbanned, event.account));
          continue;
        }
        if ('move' in event) {
          const { key, from, to } = event.move;
          await keys.moveBan(placed(key, from), placed(key, to));
          continue;
        }
        now = event.atMs;
        const decisions = await Promise.all(
          event.burst.map(({ key, account, quota }) =>
            keys.consume({ ...placed(key, account), quota }),
          ),
        );
        const lines = (decisions: readonly ModelDecision[]) =>
          decisions.map((it, i) => `${now} key ${event.burst[i]?.key}: ${describeDecision(it)}`);
        assert.deepEqual(lines(decisions), lines(event.burst.map(({ expected }) => expected)));
      }
    },
  );
}

/** Formats all parts of a decision in one line, so that a difference is easy to see. */
export function describeDecision(decision: ModelDecision): string {
  const { outcome, reported, windows, retryAfterSeconds, warned } = decision;
  const describe = ({ name, limit, remaining, resetAt }: ModelDecision['reported']) =>
    `${name} ${remaining}/${limit} @${resetAt - 1_800_000_000}`;
  const all = windows.map((window) => `${describe(window)} in ${window.resetInSeconds}`);
  return [
    ...[outcome, `by ${describe(reported)}`],
    ...(retryAfterSeconds > 0 ? [`wait ${retryAfterSeconds}`] : []),
    ...(warned ? ['warned'] : []),
    `(${all.join(', ')})`,
  ].join(' ');
}
