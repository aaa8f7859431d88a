import { ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Key } from '@animal-store/admin-contract';
import { defaultBanPolicy } from '@animal-store/contract';
import { defaultDatabaseLimits } from '@animal-store/postgres';
import { migratePostgres } from '@animal-store/postgres/migrate-postgres';
import { openPostgres as openDatabase } from '@animal-store/postgres/open-postgres';
import { createMemoryQuotas, createQuotas, type Quotas } from '@animal-store/quotas';
import { hangMs, openPostgres, openRedis } from '@animal-store/testkit';
import { createSeededRandom } from '@animal-store/testkit/seeded-random';
import { sql } from 'drizzle-orm';
import { createAccountManagement } from '../../src/accounts/account-management.ts';
import { searchEntries } from '../../src/audit/audit-search.ts';
import { createKeyManagement } from '../../src/keys/key-management.ts';
import { migrationOptions } from '../../src/schema/migration-options.ts';
import { someCause } from '../support/admin.ts';

/** The ban policy of the campaign, with which the third denied request leads to a ban. */
const banPolicy = { ...defaultBanPolicy, graceMs: 0, minStrikes: 1 };
const quota = { perMinute: 1, perDay: 100 };
const plan = { plan: 'enterprise', quota } as const;

/**
 * The number of rounds that run at the same time. Each round has an API key and two accounts of its
 * own.
 */
const atOnce = 32;

const actionNames = [
  ...['unban', 'credit', 'move', 'change the plan', 'change the plan of the other account'],
  ...['suspend', 'revoke', 'rotate'],
] as const;

/**
 * The state at the beginning of a round: whether the API key belongs to the account with a plan,
 * and the number of requests that it has already sent.
 */
interface Start {
  readonly isPlanned: boolean;
  /**
   * The number of requests that the API key has already sent: 3 or 4. The first request is
   * admitted, and the others are denied. After three requests, the next one leads to a ban. After
   * four requests, the API key is already banned.
   */
  readonly requests: number;
}

const starts: readonly Start[] = [false, true].flatMap((isPlanned) =>
  [3, 4].map((requests) => ({ isPlanned, requests })),
);

/**
 * Lets two operators and a caller act on one API key at the same time. The campaign tries every
 * pair of operators' actions, with quotas in Redis and in memory. A round has a result: the final
 * state and the responses. At least one order of the two actions and of the two steps of the
 * request, one after the other, must lead to the same result.
 *
 * @param options.minutes the longest duration. The campaign ends earlier, after 1,000 rounds of
 *   each pair with Redis and in memory.
 * @throws if no order leads to the result of a round.
 */
export async function run({ seed, minutes }: { seed: number; minutes: number }): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const [postgres, redis] = await Promise.all([openPostgres(), openRedis()]);
  opened.use(postgres);
  opened.use(redis);
  const { url } = opened.use(await postgres.createDatabase());
  await migratePostgres(url, migrationOptions);
  const database = openDatabase(url, {
    ...{ ...migrationOptions, ...defaultDatabaseLimits },
    answerWithinMs: 61_000,
    statementSeconds: 60,
  });
  opened.defer(() => database.close());
  const inRedis = await createQuotas({ redis: redis.url, banPolicy, timeoutMs: hangMs });
  opened.defer(() => inRedis.close());
  const worlds = [
    ['memory', createWorld('memory', database.db, createMemoryQuotas({ banPolicy }))],
    ['Redis', createWorld('Redis', database.db, inRedis)],
  ] as const;
  const pairs = actionNames.flatMap((a, i) => actionNames.slice(i).map((b) => [a, b] as const));
  const random = createSeededRandom(seed);
  const beganAt = performance.now();
  const endsAt = beganAt + minutes * 60_000;
  let rounds = 0;
  const wrong: string[] = [];
  for (let times = 0; times < 1_000 && performance.now() < endsAt; times += starts.length) {
    for (const [store, world] of worlds) {
      const work = pairs.flatMap((pair) => starts.map((start) => ({ pair, start })));
      await inParallel(work, async ({ pair, start }) => {
        const delays = [0, 1, 2].map(() => Math.floor(random() * 8));
        const seen = await world.runRound(start, pair, delays);
        rounds += 1;
        const expected = await world.expected(start, pair);
        if (expected.has(seen)) return;
        const line = `${store}, ${JSON.stringify(start)}, ${pair.join(' in parallel with ')}: ${seen}, not ${[...expected]}`;
        wrong.push(line);
        process.stdout.write(`${line}\n`);
      });
    }
    const seconds = (performance.now() - beganAt) / 1_000;
    process.stdout.write(
      `${rounds} rounds, ${times + starts.length} of each pair and store, ${wrong.length} wrong, ${Math.round(rounds / seconds)} a second\n`,
    );
  }
  ok(wrong.length === 0, `${wrong.length} of ${rounds} rounds ended as no order explains.`);
}

/** Creates operators and a caller that use the same quotas. */
function createWorld(store: string, db: Parameters<typeof createKeyManagement>[0], quotas: Quotas) {
  /**
   * The API keys in the cache of the replica. As in the service, a key is read again after each
   * change.
   */
  const known = new Map<string, Awaited<ReturnType<typeof findApplied>>>();
  const keysOf = new Map<string, string>();
  const forget = (id: string | undefined) => known.delete(id ?? '');
  const keys = createKeyManagement(db, forget, quotas);
  const accounts = createAccountManagement(db, (name) => forget(keysOf.get(name)), quotas);
  let rounds = 0;
  const expectations = new Map<string, Promise<Set<string>>>();

  const findApplied = async (id: string) => keys.findAppliedPlan(await keys.find(id));

  const recall = async (id: string) => known.get(id) ?? (await findApplied(id));

  async function consume(id: string, applied: Awaited<ReturnType<typeof recall>>) {
    return (await quotas.consume({ ...applied, id })).outcome;
  }

  async function prepare({ isPlanned, requests }: Start) {
    rounds += 1;
    const names = [`${store} label ${rounds}`, `${store} planned ${rounds}`] as const;
    const [name, other] = isPlanned ? names.toReversed() : names;
    // A single SQL statement creates the accounts and the API key of the round. The functions for
    // operators would need twenty statements, which would take longer than the rest of the round.
    const rows = await db.execute<{ id: string }>(sql`with planned as (insert into accounts
        (name, plan, per_minute, per_day)
        values (${names[1]}, 'enterprise', ${quota.perMinute}, ${quota.perDay}))
      insert into api_keys (name, account, plan, per_minute, per_day)
        values ('x', ${name}, 'enterprise', ${quota.perMinute}, ${quota.perDay}) returning id`);
    const [{ id } = expectKey()] = rows as unknown as [{ id: string }?];
    for (const each of names) keysOf.set(each, id);
    const applied = await findApplied(id);
    known.set(id, applied);
    for (let i = 0; i < requests; i += 1) await quotas.consume({ ...applied, id });
    return { id, name: name as string, other: other as string, isPlanned };
  }

  /**
   * Returns the functions that start the actions of a round. Each function returns a promise for
   * the response.
   */
  function actionsOf({ id, name, other, isPlanned }: Awaited<ReturnType<typeof prepare>>) {
    const noPlan = { plan: null } as const;
    return {
      unban: () => keys.unban(id, someCause),
      credit: () => keys.credit(id, someCause),
      move: () => keys.change(id, { account: other }, someCause),
      'change the plan': () => accounts.setPlan(name, isPlanned ? noPlan : plan, someCause),
      'change the plan of the other account': () =>
        accounts.setPlan(other, isPlanned ? plan : noPlan, someCause),
      suspend: () => keys.suspend(id, someCause),
      revoke: () => keys.revoke(id, someCause),
      rotate: () => keys.rotate(id, 0, someCause),
    } satisfies Record<(typeof actionNames)[number], () => Promise<unknown>>;
  }

  async function observe(id: string, responses: readonly (string | undefined)[]): Promise<string> {
    const key: Key = await keys.find(id);
    const applied = await keys.findAppliedPlan(key);
    const { bannedUntil, strikes, windows } = await quotas.look({ ...applied, id });
    const { items } = await searchEntries(db, { keyId: id }, 50, undefined);
    return JSON.stringify({
      responses,
      state: key.state,
      isShared: applied.accountId !== undefined,
      isBanned: bannedUntil !== undefined,
      strikes,
      left: windows.map(({ remaining }) => remaining),
      audit: items.map(({ action }) => action).sort(),
    });
  }

  const outcomeOf = (act: () => Promise<unknown>) =>
    act().then(
      (answer) => (typeof answer === 'string' ? answer : 'done'),
      (error) => String(error.code ?? error),
    );

  async function openRound(start: Start, pair: readonly (typeof actionNames)[number][]) {
    const round = await prepare(start);
    const actions = actionsOf(round);
    return { id: round.id, actions: pair.map((name) => actions[name]) };
  }

  return {
    /** Starts all actions of a round, each after its delay in milliseconds. */
    async runRound(
      start: Start,
      pair: readonly (typeof actionNames)[number][],
      delays: readonly number[],
    ): Promise<string> {
      const { id, actions } = await openRound(start, pair);
      const ask = async () => consume(id, await recall(id));
      const doing = [...actions, ask].map(async (act, n) => {
        if (delays[n]) await pause(delays[n]);
        return outcomeOf(act);
      });
      return observe(id, await Promise.all(doing));
    },

    /**
     * Returns the possible results: one for each order of the two actions and the two steps of a
     * request.
     */
    expected(start: Start, pair: readonly (typeof actionNames)[number][]): Promise<Set<string>> {
      const name = JSON.stringify([start, pair]);
      let expected = expectations.get(name);
      expected ??= Promise.all(
        orders.map(async (order) => {
          const { id, actions } = await openRound(start, pair);
          let applied: ReturnType<typeof recall> | undefined;
          const steps: Record<Step, () => Promise<unknown>> = {
            first: actions[0] as (typeof actions)[number],
            second: actions[1] as (typeof actions)[number],
            recall: () => (applied = recall(id)),
            consume: async () => consume(id, await (applied ?? recall(id))),
          };
          const responses: Partial<Record<Step, string>> = {};
          for (const step of order) responses[step] = await outcomeOf(steps[step]);
          return observe(id, [responses.first, responses.second, responses.consume]);
        }),
      ).then((ends) => new Set(ends));
      expectations.set(name, expected);
      return expected;
    },
  };
}

function expectKey(): never {
  throw new Error('An insert returned no row.');
}

type Step = 'first' | 'second' | 'recall' | 'consume';

/**
 * The orders of two actions and a request. A request has two steps: the replica reads the plan of
 * the API key from its cache, and the quotas decide by that plan whether to admit the request. The
 * service allows a change between the two steps, because it does not lock a key to admit a request.
 */
const orders: readonly (readonly Step[])[] = permute([
  'first',
  'second',
  'recall',
  'consume',
]).filter((order) => order.indexOf('recall') < order.indexOf('consume'));

function permute(steps: readonly Step[]): Step[][] {
  if (steps.length === 0) return [[]];
  return steps.flatMap((step) =>
    permute(steps.filter((other) => other !== step)).map((rest) => [step, ...rest]),
  );
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const left = [...items];
  const next = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, next));
}
