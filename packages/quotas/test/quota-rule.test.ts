import { openRedis, openRedisCluster } from '@animal-store/testkit';
import type { ModelDecision } from '@animal-store/testkit/quota-model';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Consumer, OnBan } from '../src/consumer.ts';
import type { TestQuotas } from './open-test-quotas.ts';
import { openTestQuotas, startMs } from './open-test-quotas.ts';
import { examples, free, one, strikeOut } from './quota-examples.ts';
import { createSequenceProperty, describeDecision } from './quota-sequences.ts';

// The model in the testkit implements the rules of a decision a second time, as simply as possible.
// Each store must decide the examples as described, and must decide random sequences like the
// model. `npm run campaign -- quota-model` plays many more sequences.
const seed = 1;

type Steps = (typeof examples)[string];

const stores = {
  'in memory': { played: examples, replicas: 1, numRuns: 200, open: async () => ({ urls: [] }) },
  'on Redis': {
    ...{ played: examples, replicas: 2, numRuns: 60 },
    async open(stack: AsyncDisposableStack) {
      return { urls: [stack.use(await openRedis()).url] };
    },
  },
  'on a Cluster': {
    // A Cluster uses the same script as a single Redis. So the examples are played only with the
    // single Redis.
    ...{ played: {}, replicas: 2, numRuns: 20 },
    open: async (stack: AsyncDisposableStack) => stack.use(await openRedisCluster()),
  },
};

describe.each(Object.entries(stores))('%s', (_, { played, replicas, numRuns, open }) => {
  const stack = new AsyncDisposableStack();
  const bans: Parameters<OnBan>[0][] = [];
  let urls: readonly string[];
  let now = startMs;
  let quotas: TestQuotas;

  const openReplica = async (options: Parameters<typeof openTestQuotas>[0]) =>
    stack.use(await openTestQuotas({ ...options, redis: urls.length === 0 ? undefined : urls }));
  beforeAll(async () => {
    ({ urls } = await open(stack));
    quotas = await openReplica({ now: () => now, onBan: (ban) => bans.push(ban) });
    return () => stack.disposeAsync();
  });
  beforeEach(() => {
    now = startMs;
  });

  /**
   * Returns the functions with which one test plays examples. They add a random text to the ids, so
   * that no other test uses the same API keys.
   */
  function begin() {
    const run = crypto.randomUUID();
    const own = (key: Consumer): Consumer => ({
      ...key,
      id: `${key.id} ${run}`,
      ...(key.accountId !== undefined && { accountId: `${key.accountId} ${run}` }),
    });
    /** Plays the steps of an example, and compares the decisions with the expected ones. */
    async function play(steps: Steps): Promise<void> {
      for (const [afterMs, key, times, outcomes, last = ''] of steps) {
        now += afterMs;
        const runs: { outcome: string; times: number }[] = [];
        let decision: ModelDecision | undefined;
        for (let i = 0; i < times; i += 1) {
          decision = await quotas.keys.consume(own(key));
          const run = runs.at(-1);
          if (run?.outcome === decision.outcome) run.times += 1;
          else runs.push({ outcome: decision.outcome, times: 1 });
        }
        expect(runs.map(({ outcome, times }) => `${times} ${outcome}`).join(', ')).toBe(outcomes);
        expect(describeDecision(decision as ModelDecision)).toContain(last);
      }
    }
    return { own, play };
  }

  test.each(Object.entries<Steps>(played))(
    'the quotas follow this rule: %s',
    async (_title, steps) => {
      await begin().play(steps);
    },
  );

  test('the quotas of one or more replicas decide random sequences of requests in the same way as a simple model', async () => {
    const property = await createSequenceProperty((options) =>
      Promise.all(Array.from({ length: replicas }, () => openReplica(options))),
    );
    await fc.assert(property, { seed, numRuns });
  });

  test('quotas.look returns the windows, the denied requests that count towards a ban (strikes) and the ban, and counts no request', async () => {
    const { own, play } = begin();
    const look = () => quotas.keys.look(own(free));
    await play(strikeOut(free));
    const looked = await look();
    expect(describeDecision(looked)).toBe(
      'admitted by minute 0/60 @61 (minute 0/60 @61 in 59, day 940/1000 @86401 in 86399)',
    );
    expect(looked).toMatchObject({
      ...{ remainingPoints: 0, msBeforeNext: 59_000 },
      scope: 'service',
      strikes: 30,
      // The strikes (denied requests that count towards a ban) expire a minute after the first
      // strike.
      strikesResetAt: 1_800_000_062,
      strikeThreshold: 30,
      bannedUntil: undefined,
      warned: false,
    });
    expect(await look()).toEqual(looked);
    await play([[0, free, 1, '1 banned']]);
    expect(await look()).toMatchObject({ strikes: 0, bannedUntil: 1_800_000_302 });
    await play([[61_000, free, 1, '1 banned']]);
    expect(describeDecision(await look())).toContain('minute 60/60 @123');
  });

  test('the quotas call onBan once when a ban begins', async () => {
    const { own, play } = begin();
    await play(strikeOut(one));
    await Promise.all(Array.from({ length: 20 }, () => quotas.keys.consume(own(one))));
    await play([[300_000, one, 1, '1 admitted']]);
    const reported = bans.filter(({ consumer }) => consumer.id === own(one).id);
    const startedAtMs = startMs + 1_000;
    expect(reported).toEqual([{ consumer: own(one), seconds: 300, startedAtMs, scope: 'service' }]);
  });

  test('the allowance of a network (a quota without an API key) has one window, and its method `peek` counts no request', async () => {
    const { keys, networks } = quotas;
    const [network, another] = [crypto.randomUUID(), crypto.randomUUID()];
    await keys.consume({ ...free, id: network });
    expect(describeDecision(networks.peek(network))).toMatch(
      /^admitted by minute 60\/60 @\d+ \(minute 60\/60 @\d+ in 60\)$/,
    );
    const decisions = await Promise.all(Array.from({ length: 61 }, () => networks.take(network)));
    expect(decisions.map(({ reported }) => reported.remaining)).toEqual([
      ...Array.from({ length: 60 }, (_, i) => 59 - i),
      0,
    ]);
    expect(decisions.filter(({ outcome }) => outcome === 'denied')).toEqual([decisions[60]]);
    expect(networks.peek(network)).toMatchObject({ outcome: 'denied', reported: { limit: 60 } });
    expect((await networks.take(another)).reported.remaining).toBe(59);
  });
});
