import { defaultBanPolicy } from '@animal-store/contract';
import { DatabaseUnavailableError } from '@animal-store/postgres';
import { createQuotas, type Quotas } from '@animal-store/quotas';
import { openRedis, patientQuotas, until } from '@animal-store/testkit';
import { eq, sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import {
  type AccountManagement,
  createAccountManagement,
} from '../../src/accounts/account-management.ts';
import { searchEntries } from '../../src/audit/audit-search.ts';
import { listOpenBans } from '../../src/bans/current-bans.ts';
import { createBanMoves } from '../../src/keys/ban-moves.ts';
import type { KeyManagement } from '../../src/keys/key-management.ts';
import { createReadBans } from '../../src/keys/read-bans.ts';
import { banMoves, openBans } from '../../src/schema/schema.ts';
import { someCause } from '../support/admin.ts';
import { useDatabase } from '../support/databases.ts';
import { manageKeys } from '../support/manage-keys.ts';
import { banOf, writeBans } from '../support/write-bans.ts';

// The tests run the actions of two operators at the same time, with a real Postgres and a real
// Redis.

const rounds = 20;
/**
 * The ban policy of the tests. The first denied request in a row does not count as a strike (a
 * denied request that counts towards a ban). The second denied request is a strike, and one strike
 * is allowed. The third denied request leads to a ban.
 */
const banPolicy = { ...defaultBanPolicy, graceMs: 0, minStrikes: 1 };

const database = useDatabase('postgres');
let quotas: Quotas;
let keys: KeyManagement;
let accounts: AccountManagement;
beforeAll(async () => {
  const redis = await openRedis();
  quotas = await createQuotas({ redis: redis.url, banPolicy, ...patientQuotas });
  keys = manageKeys(database.db, quotas);
  accounts = createAccountManagement(database.db, () => {}, quotas);
  await accounts.setPlan('with a plan', plan, someCause);
  return async () => {
    quotas.close();
    await redis[Symbol.asyncDispose]();
  };
});

/** Creates an API key in an account, and sends requests until the key is banned. */
async function createBanned(account: string) {
  const quota = { perMinute: 1, perDay: 100 };
  const { key } = await keys.create(
    { ...{ name: 'x', plan: 'enterprise', quota, account } },
    someCause,
  );
  const applied = await keys.findAppliedPlan(key);
  const tooMany = applied.quota.perMinute + 3;
  for (let i = 0; i < tooMany; i += 1) await quotas.consume({ ...applied, id: key.id });
  expect(await isBanned(key.id)).toBe(true);
  return key.id;
}

async function isBanned(id: string): Promise<boolean> {
  const applied = await keys.findAppliedPlan(await keys.find(id));
  return (await quotas.look({ ...applied, id })).bannedUntil !== undefined;
}

/**
 * Starts two actions at the same time. In half of the rounds, the second action is started first.
 */
async function atOnce(round: number, ...acts: (() => Promise<unknown>)[]): Promise<void> {
  if (round % 2 === 1) acts.reverse();
  await Promise.all(acts.map((act) => act()));
}

const plan = { plan: 'enterprise', quota: { perMinute: 1, perDay: 100 } } as const;

test('an unban ends the ban of an API key even when the key moves to another account at the same time', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const [from, to] = round % 4 < 2 ? ['label', 'with a plan'] : ['with a plan', 'label'];
    await accounts.credit('with a plan', someCause);
    const id = await createBanned(from);
    const unban = () => keys.unban(id, someCause);
    await atOnce(round, unban, () => keys.change(id, { account: to }, someCause));
    expect(await isBanned(id), `round ${round}`).toBe(false);
  }
});

// Regression: both audit entries showed the ban, because both unbans read the ban before one of
// them got the lock.
test('when two operators unban an API key at the same time, only one of the two audit entries shows the ended ban', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const id = await createBanned('label');
    const unban = () => keys.unban(id, someCause);
    await atOnce(round, unban, unban);
    const { items } = await searchEntries(database.db, { keyId: id }, 10, undefined);
    const unbans = items.filter(({ action }) => action === 'key.unbanned');
    expect(unbans.map(({ before }) => before)).toEqual(
      expect.arrayContaining([{}, { bannedUntil: expect.stringMatching(/^20/) }]),
    );
  }
});

test('an unban ends the ban of an API key even when the account of the key gets or loses a plan at the same time', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const name = `account ${round}`;
    if (round % 4 >= 2) await accounts.setPlan(name, plan, someCause);
    const id = await createBanned(name);
    const choice = round % 4 < 2 ? plan : ({ plan: null } as const);
    const unban = () => keys.unban(id, someCause);
    await atOnce(round, unban, () => accounts.setPlan(name, choice, someCause));
    expect(await isBanned(id), `round ${round}`).toBe(false);
  }
});

// Regression: an API key moved to another account, and at the same time an operator changed the plan
// of this account. The first change used the old plan, and the second one used the old list of keys.
// So neither change moved the ban of the key to its new place in Redis, and the ban had no effect.
test('an API key stays banned when it joins or leaves an account while that account gets or loses its plan', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const name = `busy ${round}`;
    const isPlanned = round % 4 >= 2;
    await accounts.setPlan(name, isPlanned ? plan : { plan: null }, someCause);
    // The API key leaves the account in half of the rounds, and joins the account in the other
    // half.
    const [from, to] = round % 8 < 4 ? ['label', name] : [name, 'label'];
    const id = await createBanned(from);
    const choice = isPlanned ? ({ plan: null } as const) : plan;
    await atOnce(
      round,
      () => keys.change(id, { account: to }, someCause),
      () => accounts.setPlan(name, choice, someCause),
    );
    expect(await isBanned(id), `round ${round}`).toBe(true);
  }
});

// Regression: the change of the plan waited for the lock of the API key, but then used the previous
// account of the key.
test('a banned API key stays banned when it moves to another account while the plan of its old account changes', async () => {
  const id = await createBanned('left');
  const { db } = database;
  const settled = await db.transaction(async (tx) => {
    await tx.execute(sql`update api_keys set account = 'with a plan' where id = ${id}`);
    const setting = accounts.setPlan('left', plan, someCause);
    await until(async () => {
      const rows = await db.execute(sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`);
      return (rows as unknown as unknown[]).length > 0;
    });
    return { setting };
  });
  await settled.setting;
  expect(await isBanned(id)).toBe(true);
});

/**
 * Returns a database object that runs each transaction with the given function, which can simulate
 * a lost connection.
 */
const withTransactions = (transaction: typeof database.db.transaction) =>
  Object.create(database.db, { transaction: { value: transaction } }) as typeof database.db;

const lostConnection = () => new DatabaseUnavailableError('CONNECTION_CLOSED');

// Regression: when a COMMIT got no response, the service moved the ban back to the old account in
// Redis. No request found the ban there.
test.each([
  [
    'was committed',
    async (work: Parameters<typeof database.db.transaction>[0]) => {
      await database.db.transaction(work);
      throw lostConnection();
    },
  ],
  [
    'was not committed',
    (work: Parameters<typeof database.db.transaction>[0]) =>
      database.db.transaction(async (tx) => {
        await work(tx);
        throw lostConnection();
      }),
  ],
])(
  'an API key stays banned when a change of its account %s and the replica then stops',
  async (_, transaction) => {
    const db = withTransactions(transaction as typeof database.db.transaction);
    for (const [from, to] of [
      ['label', 'with a plan'],
      ['with a plan', 'label'],
    ] as const) {
      await accounts.credit('with a plan', someCause);
      const id = await createBanned(from);
      const changing = manageKeys(db, quotas).change(id, { account: to }, someCause);
      await expect(changing).rejects.toThrow(DatabaseUnavailableError);
      await finishLater();
      expect(await isBanned(id)).toBe(true);
      expect(await database.db.select().from(banMoves)).toEqual([]);
    }
  },
);

// Regression: the ban stayed at its old place in Redis, where no request found it. The service
// never moved it later.
test('an API key stays banned when Redis was down while the account of the key or the plan of the account changed', async () => {
  const withoutRedis = { ...quotas, moveBan: async () => false };
  const id = await createBanned('away');
  const { db } = database;
  await manageKeys(db, withoutRedis).change(id, { account: 'with a plan' }, someCause);
  await finishLater();
  expect(await isBanned(id)).toBe(true);
  const other = await createBanned('away');
  await createAccountManagement(db, () => {}, withoutRedis).setPlan('away', plan, someCause);
  expect(await isBanned(other)).toBe(false);
  await finishLater();
  expect(await isBanned(other)).toBe(true);
});

// Regression: while the ban of an API key moved to another Redis key, a list did not find the ban in
// Redis and deleted its row. The key stayed banned, but no list showed the ban any more.
test.each(['account of the API key', 'plan of the account'])(
  'a banned API key stays in the list of banned keys when the list is read during a change of the %s',
  async (changed) => {
    const { db } = database;
    const withoutRedis = { ...quotas, moveBan: async () => false };
    const id = await createBanned('moved');
    await writeBans(db, banOf(id, 5));
    if (changed === 'account of the API key')
      await manageKeys(db, withoutRedis).change(id, { account: 'with a plan' }, someCause);
    else
      await createAccountManagement(db, () => {}, withoutRedis).setPlan('moved', plan, someCause);
    expect(await isBanned(id)).toBe(false);
    const listBans = () =>
      createReadBans(db, quotas)(
        () => listOpenBans(db, 10, eq(openBans.keyId, id)),
        (bans) => bans,
      );
    expect(await listBans()).toMatchObject([{ keyId: id }]);
    await finishLater();
    expect(await isBanned(id)).toBe(true);
    expect(await listBans()).toMatchObject([{ keyId: id }]);
    await quotas.unban(await placeOf(id));
    expect(await listBans()).toEqual([]);
  },
);

/**
 * Finishes the interrupted moves of bans. They count as interrupted, because their recorded start is
 * set back by a minute.
 */
async function finishLater(): Promise<void> {
  await database.db.execute(sql`update ban_moves set started_at = now() - interval '1 minute'`);
  await createBanMoves(database.db, quotas).finishAll();
}

// Regression: in a Redis Cluster, a ban is first copied to its new account and then deleted. A
// replica that stopped in between left a copy. When another replica finished the move, the ban came
// back.
test('an API key stays unbanned when a change of its account was interrupted before the unban and left copies of the ban in Redis', async () => {
  const id = await createBanned('label');
  const { db } = database;
  const copying = { ...quotas, moveBan: async () => false };
  await accounts.setPlan('other with a plan', plan, someCause);
  await manageKeys(db, copying).change(id, { account: 'with a plan' }, someCause);
  await quotas.moveBan({ id }, await placeOf(id));
  await manageKeys(db, copying).change(id, { account: 'other with a plan' }, someCause);
  expect(await isBanned(id)).toBe(false);
  await keys.unban(id, someCause);
  await finishLater();
  expect(await isBanned(id)).toBe(false);
  expect(await db.select().from(banMoves)).toEqual([]);
});

/**
 * Returns the ids under which the requests of an API key are counted: the id of the key, and the id
 * of its account if the account has a plan.
 */
async function placeOf(id: string) {
  const { accountId } = await keys.findAppliedPlan(await keys.find(id));
  return { id, accountId };
}

test('when two operators reset the request counts of an API key (credit) at the same time, the audit log records one reset', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const id = await createBanned('label');
    await atOnce(
      round,
      () => keys.credit(id, someCause),
      () => keys.credit(id, someCause),
    );
    const { items } = await searchEntries(database.db, { keyId: id }, 9, undefined);
    expect(items.map(({ action }) => action)).toEqual(['key.changed', 'key.created']);
  }
});

test('an API key stays banned when it moves to an account with a plan and back', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const id = await createBanned('label');
    await keys.change(id, { account: 'with a plan' }, someCause);
    expect(await isBanned(id)).toBe(true);
    await keys.change(id, { account: 'label' }, someCause);
    expect(await isBanned(id)).toBe(true);
  }
});
