import { usageOperations, usageOutcomes } from '@animal-store/admin-contract';
import { openPostgres, openRedis, type Server, startServer } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { totalId } from '../../src/usage/usage-entry.ts';
import { connectTo } from '../support/databases.ts';
import { startLoad } from '../support/load.ts';
import type { Answer } from '../support/send.ts';
import { call } from '../support/test-service.ts';
import { createKey } from './start-with-stores.ts';
import { untilSlowEvent } from './until-slow-event.ts';

/** The numbers of requests by API key, operation and outcome. */
type Counts = Map<string, number>;

const add = (counts: Counts, cell: string, requests = 1) =>
  counts.set(cell, (counts.get(cell) ?? 0) + requests);

const totalOf = (counts: Counts) =>
  [...counts.values()].reduce((sum, requests) => sum + requests, 0);

function sumOf(all: readonly Counts[]): Counts {
  const sum: Counts = new Map();
  for (const counts of all) for (const [cell, requests] of counts) add(sum, cell, requests);
  return sum;
}

type KeyName = 'wide' | 'narrow' | 'nobody';

type Question = readonly [by: KeyName, operation: string, target: string, json?: string];

/**
 * The requests that each client sends one after the other. Together they cover every operation and
 * every outcome that a valid API key can get.
 */
const questions: readonly Question[] = [
  ['wide', 'listPets', '/pets?limit=1'],
  ['wide', 'listPets', '/pets?limit=0'],
  ['wide', 'createPet', '/pets', '{"name":"Rex","categoryId":1}'],
  ['wide', 'getPet', '/pets/999999999'],
  ['narrow', 'listPets', '/pets?limit=1'],
  ['wide', 'listOrders', '/store/orders'],
  ['wide', 'none', '/nowhere'],
  ['narrow', 'getRateLimit', '/rate-limit'],
  ['nobody', 'none', '/pets'],
];

function outcomeOf({ status, text }: Answer): (typeof usageOutcomes)[number] {
  if (text.includes('key_temporarily_banned')) return 'banned';
  if (status === 429) return 'denied';
  if (status >= 500) return 'server_error';
  return status >= 400 ? 'client_error' : 'ok';
}

/** The limit per minute of requests without an API key. */
const networkLimit = 61;

/** A replica, with the number of responses that its clients received. */
interface Seen {
  readonly server: Server;
  readonly answers: Counts;
  /** The number of requests without a response. The replica may have counted these requests. */
  unanswered: number;
}

// The test kills one of three replicas. Shortly before that, it waits until no request is in flight
// and the database contains all counts. Later counts of the killed replica may be missing. The
// database may contain more requests of the killed replica than its clients got responses, but not
// of the other replicas.
test('the stored usage of three replicas contains every response, except responses that a killed replica had not yet stored', async () => {
  await using database = await openPostgres();
  await using redis = await openRedis();
  await using stack = new AsyncDisposableStack();
  const { url } = await database.createDatabase();

  const [wide, narrow] = [await createKey(url), await createKey(url, 20)];
  const tokens = { wide: wide.token, narrow: narrow.token, nobody: null };
  const names = new Map<string, KeyName>([
    [totalId(0), 'nobody'],
    [wide.id, 'wide'],
    [narrow.id, 'narrow'],
  ]);

  const env = {
    DATABASE_URL: url,
    REDIS_URL: redis.url,
    REPLICAS: '3',
    ADDRESS_PER_MINUTE: String(networkLimit),
    LOG_LEVEL: 'error',
    // The interval for writing counts is short, so that each replica tries to write its counts many
    // times during each outage.
    USAGE_FLUSH_MS: '100',
    BAN_MIN_STRIKES: '20',
    BAN_STRIKE_PERCENT: '0',
    BAN_GRACE_MS: '0',
  };
  const seen: Seen[] = [];
  for (const server of await Promise.all([1, 2, 3].map(() => startServer({ env })))) {
    seen.push({ server: stack.use(server), answers: new Map(), unanswered: 0 });
  }
  const [victim, ...survivors] = seen as [Seen, Seen, Seen];

  async function ask(replica: Seen, [by, operation, target, json]: Question): Promise<void> {
    try {
      const options = { token: tokens[by], ...(json !== undefined && { json }) };
      const answer = await call(replica.server.baseUrl + target, options);
      // If a replica could not look up the API key of a request, it did not count the request for
      // this key. Such a response has the limit of the network in its headers.
      const isOfNetwork = answer.headers.get('X-RateLimit-Limit') === String(networkLimit);
      if (answer.status === 503 && by !== 'nobody' && isOfNetwork) return;
      add(replica.answers, `${by} ${operation} ${outcomeOf(answer)}`);
    } catch {
      replica.unanswered += 1;
    }
  }

  /** Sends requests to all replicas while `work` runs. Each replica has several clients. */
  async function underLoad(work: () => Promise<void>): Promise<void> {
    const loads = seen.map((replica) =>
      startLoad({
        callers: 4,
        pauseMs: 40,
        async ask(round, client) {
          const question = questions[(round + client) % questions.length];
          const isKilled = replica === victim && replica.unanswered > 0;
          if (question !== undefined && !isKilled) await ask(replica, question);
        },
      }),
    );
    await work();
    await Promise.all(loads.map((load) => load.stop()));
  }

  /**
   * Waits until each of the given replicas has sent `times` further responses. If an outcome is
   * given, only responses with this outcome are counted.
   */
  async function untilAnswered(times: number, of: readonly Seen[] = seen, outcome = '') {
    const countOf = ({ answers }: Seen) =>
      totalOf(new Map([...answers].filter(([cell]) => cell.endsWith(outcome))));
    const before = of.map(countOf);
    await untilSlowEvent(() =>
      of.every((one, index) => countOf(one) >= (before[index] ?? 0) + times),
    );
  }

  const sql = stack.use(connectTo(url));
  async function readLedger(): Promise<Counts> {
    const rows = await sql`select key_id, operation, outcome, sum(requests) as requests
      from usage.counts
      where span = 1440 and key_id in ${sql([...names.keys()])} group by 1, 2, 3`;
    return new Map(
      rows.map(({ key_id, operation, outcome, requests }) => [
        `${names.get(key_id)} ${usageOperations[operation]} ${usageOutcomes[outcome]}`,
        Number(requests),
      ]),
    );
  }

  // Each replica of the service must cache every API key, so that it knows the keys of requests
  // while Postgres is down.
  for (const replica of seen) {
    for (const by of ['wide', 'narrow'] as const)
      await ask(replica, [by, 'listPets', '/pets?limit=1']);
  }

  await underLoad(async () => {
    await untilAnswered(30);
    await redis.kill();
    await untilAnswered(40);
    await redis.restart();
    await untilAnswered(30);
    await database.kill();
    await untilAnswered(20, seen, 'wide listPets server_error');
    await untilAnswered(40);
    await database.start();
    await untilAnswered(20, seen, 'wide createPet ok');
  });
  const answers = () => sumOf(seen.map((replica) => replica.answers));
  await untilSlowEvent(async () => totalOf(await readLedger()) === totalOf(answers())).catch(
    () => {},
  );
  expect(await readLedger()).toEqual(answers());
  expect(seen.map(({ unanswered }) => unanswered)).toEqual([0, 0, 0]);
  const outcomes = [...answers().keys()].map((cell) => cell.split(' ').at(-1));
  // The outcome `refused` does not occur in this test. `usage-api.test.ts` tests the requests of
  // refused API keys.
  expect(new Set(outcomes).add('refused')).toEqual(new Set(usageOutcomes));

  // All requests before this moment are in the usage tables. The replica that will be killed may
  // lose only requests after this moment.
  const written = new Map(victim.answers);
  await underLoad(async () => {
    await untilAnswered(40);
    await victim.server.kill();
    await untilAnswered(40, survivors);
  });
  for (const { server } of survivors) expect(await server.stop()).toBe(0);
  // The test waits until the Postgres sessions of the killed replica of the service have ended,
  // because one of their statements may still be running.
  await untilSlowEvent(async () => {
    const [others] = await sql`select count(*)::int from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
    return others?.['count'] === 0;
  });

  const ledger = await readLedger();
  expect(survivors.map(({ unanswered }) => unanswered)).toEqual([0, 0]);
  const others = sumOf(survivors.map((replica) => replica.answers));
  for (const [cell, requests] of sumOf([others, written]))
    expect(ledger.get(cell), cell).toBeGreaterThanOrEqual(requests);
  const lost = totalOf(victim.answers) + totalOf(others) - totalOf(ledger);
  expect(lost).toBeGreaterThanOrEqual(-victim.unanswered);
  expect(lost).toBeLessThanOrEqual(totalOf(victim.answers) - totalOf(written));
});
