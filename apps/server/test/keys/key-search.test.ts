import { randomUUID } from 'node:crypto';
import { type KeyFilter, keySorts } from '@animal-store/contract/admin';
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import type { ListPosition } from '../../src/database/list-page.ts';
import { inTransaction } from '../../src/database/statement.ts';
import { createApiKey } from '../../src/keys/key-management.ts';
import { searchKeys } from '../../src/keys/key-search.ts';
import { Refusal } from '../../src/keys/refusal.ts';
import { createUsageRepository } from '../../src/usage/usage-repository.ts';
import { someCause } from '../support/admin.ts';
import {
  createDatabase,
  kindsOfThisRun,
  openWithoutLimits,
  useDatabase,
} from '../support/databases.ts';
import { fillKeys } from '../support/fill-keys.ts';
import { manageKeys } from '../support/manage-keys.ts';

const quota = { perMinute: 5, perDay: 6 };

/** The pages of a search, from the first to the last. */
async function pagesOf(db: Database, filter: KeyFilter, limit = 100) {
  const pages: string[][] = [];
  let position: ListPosition | undefined;
  do {
    const { items: keys, next } = await searchKeys(db, filter, limit, position);
    pages.push(keys.map(({ id }) => id));
    position = next;
  } while (position !== undefined);
  return pages;
}

const idsOf = async (db: Database, filter: KeyFilter, limit?: number) =>
  (await pagesOf(db, filter, limit)).flat();

describe.each(kindsOfThisRun)('the search of keys on %s', (kind) => {
  const database = useDatabase(kind);
  let db: Database;
  /** Ids by name. */
  const keys: Record<string, string> = {};
  /** The first characters of their tokens, by name. */
  const prefixes: Record<string, string> = {};
  const nameOf = (id: string) => Object.entries(keys).find(([, other]) => other === id)?.[0];
  const namesOf = async (filter: KeyFilter, limit?: number) =>
    (await idsOf(db, filter, limit)).map(nameOf);

  beforeAll(async () => {
    db = database.db;
    const management = manageKeys(db);
    const create = async (name: string, account?: string, enterprise = false) => {
      const plan = enterprise
        ? ({ plan: 'enterprise', quota } as const)
        : ({ plan: 'free' } as const);
      const { id, token } = await createApiKey(db, { name, account, ...plan });
      keys[name] = id;
      prefixes[name] = token.slice(0, 8);
    };
    await create('acme');
    await create('Acme 2', 'A');
    await create('ACME_3', 'A', true);
    await create('Acme%4', 'B');
    await create('other', 'A');
    await create('expired early', 'A');
    await create('expired late', undefined, true);
    await create('revoked', 'A', true);
    await create('unused', 'B');
    await management.revoke(keys['revoked'] ?? '', someCause);
    const ends = { 'expired late': '1 hour', 'expired early': '2 hours' };
    for (const [name, ago] of Object.entries(ends)) {
      await db.execute(sql`update api_keys set expires_at = now() - ${ago}::interval
        where id = ${keys[name]}`);
    }
    await db.execute(sql`insert into open_bans values
      (${keys['other']}, now(), now() + interval '5 minutes'),
      (${keys['acme']}, now(), now() + interval '5 minutes'),
      (${keys['unused']}, now() - interval '6 minutes', now() - interval '1 minute')`);
    // Keys that were made, used, or called something deprecated, so many days ago.
    await db.execute(sql`update usage.last_used set created_at = now() - interval '100 days'`);
    const used = { acme: 1, 'Acme 2': 50, ACME_3: 99, other: 20 };
    for (const [name, days] of Object.entries(used)) {
      await db.execute(sql`update usage.last_used set at = now() - make_interval(days => ${days})
        where key_id = ${keys[name]}`);
    }
    const deprecated = { acme: 1, other: 40, 'Acme 2': 60 };
    for (const [name, days] of Object.entries(deprecated)) {
      await db.execute(sql`update usage.last_used
        set deprecated_at = now() - make_interval(days => ${days}) where key_id = ${keys[name]}`);
    }
  });

  const byName = [
    ...['acme', 'Acme 2', 'Acme%4', 'ACME_3', 'expired early', 'expired late'],
    ...['other', 'revoked', 'unused'],
  ];
  const byPlan = [
    ...['acme', 'Acme 2', 'Acme%4', 'other', 'expired early', 'unused'],
    ...['ACME_3', 'expired late', 'revoked'],
  ];
  const searches: readonly (readonly [filter: KeyFilter, names: readonly string[]])[] = [
    [{ name: 'acme' }, ['acme', 'Acme 2', 'Acme%4', 'ACME_3']],
    [{ name: 'ACME ' }, ['Acme 2']],
    [{ name: 'acme%' }, ['Acme%4']],
    [{ name: 'acme_' }, ['ACME_3']],
    [{ name: 'cme' }, []],
    [{ name: 'acme\\' }, []],
    [{ account: 'A' }, ['revoked', 'expired early', 'other', 'ACME_3', 'Acme 2']],
    [{ account: 'a' }, []],
    [{ search: 'CME' }, ['Acme%4', 'ACME_3', 'Acme 2', 'acme']],
    [{ search: 'me%' }, ['Acme%4']],
    [{ search: 'me_' }, ['ACME_3']],
    [{ search: 'me', state: 'active', account: 'A' }, ['ACME_3', 'Acme 2']],
    [{ search: 'xpired', sort: 'name' }, ['expired early', 'expired late']],
    [{ search: 'nobody' }, []],
    // The end of a name and the start of an account.
    [{ search: 'otherA' }, []],
    [{ account: 'A', state: 'active' }, ['other', 'ACME_3', 'Acme 2']],
    [{ account: 'A', state: 'revoked', plan: 'enterprise' }, ['revoked']],
    [{ account: 'A', name: 'acme' }, ['ACME_3', 'Acme 2']],
    [{ state: 'expired' }, ['expired late', 'expired early']],
    [{ state: 'expired', plan: 'free' }, ['expired early']],
    [{ state: 'revoked' }, ['revoked']],
    [{ state: 'revoked', plan: 'free' }, []],
    [{ plan: 'enterprise' }, ['revoked', 'expired late', 'ACME_3']],
    [{ plan: 'enterprise', state: 'active' }, ['ACME_3']],
    [{ banned: 'true' }, ['other', 'acme']],
    [{ banned: 'true', account: 'A' }, ['other']],
    [{ banned: 'true', sort: 'name' }, ['acme', 'other']],
    [{ deprecatedWithinDays: 2 }, ['acme']],
    [{ deprecatedWithinDays: 45 }, ['acme', 'other']],
    [{ deprecatedWithinDays: 400, account: 'A' }, ['other', 'Acme 2']],
    [{ unusedForDays: 30, state: 'active', account: 'A' }, ['ACME_3', 'Acme 2']],
    [{ unusedForDays: 98, name: 'acme' }, ['Acme%4', 'ACME_3']],
    [{ unusedForDays: 400 }, []],
    [{ unusedForDays: 30, deprecatedWithinDays: 400 }, ['Acme 2']],
    [{ sort: 'name' }, byName],
    [{ sort: '-name' }, byName.toReversed()],
    [{ sort: '-name', name: 'acme' }, ['ACME_3', 'Acme%4', 'Acme 2', 'acme']],
    [{ sort: 'name', account: 'A', state: 'active' }, ['Acme 2', 'ACME_3', 'other']],
    [{ sort: 'created', account: 'A' }, ['Acme 2', 'ACME_3', 'other', 'expired early', 'revoked']],
    [{ sort: '-created', name: 'acme' }, ['Acme%4', 'ACME_3', 'Acme 2', 'acme']],
    [{ sort: 'created', state: 'expired' }, ['expired early', 'expired late']],
    [{ sort: 'lastUse', name: 'acme' }, ['Acme%4', 'ACME_3', 'Acme 2', 'acme']],
    [{ sort: '-lastUse', account: 'A', state: 'active' }, ['other', 'Acme 2', 'ACME_3']],
    [{ sort: '-lastUse', deprecatedWithinDays: 400 }, ['acme', 'other', 'Acme 2']],
    [{ sort: 'plan' }, byPlan],
    [{ sort: '-plan' }, byPlan.toReversed()],
    [{ sort: '-plan', account: 'B' }, ['unused', 'Acme%4']],
  ];

  test.each(searches)('%j finds its keys in order, for any page size', async (filter, names) => {
    for (const limit of [1, 2, 100]) expect(await namesOf(filter, limit)).toEqual(names);
  });

  test('a list tells which keys are banned, and until when', async () => {
    const { items } = await searchKeys(db, {}, 100, undefined);
    const banned = items.filter(({ bannedUntil }) => bannedUntil !== null);
    expect(banned.map(({ name }) => name)).toEqual(['other', 'acme']);
    for (const { bannedUntil } of banned) expect(bannedUntil).toMatch(/^\d{4}-.*T.*Z$/);
  });

  test('keys unused for long are those used last so long ago, and those never used and so old', async () => {
    expect(await namesOf({ unusedForDays: 45, state: 'active' })).toEqual([
      'Acme 2',
      'ACME_3',
      ...['unused', 'Acme%4'].toSorted((one, other) =>
        (keys[one] ?? '') < (keys[other] ?? '') ? 1 : -1,
      ),
    ]);
  });

  test('a key is found by its tokens, also by one that was replaced', async () => {
    const id = keys['other'] ?? '';
    const management = manageKeys(db);
    const rotated = await management.rotate(id, 0, someCause);
    if (rotated instanceof Refusal) throw new Error(rotated.message);
    for (const tokenPrefix of [rotated.token.slice(0, 8), prefixes['other']]) {
      expect(await namesOf({ tokenPrefix })).toContain('other');
      expect(await namesOf({ tokenPrefix, state: 'revoked' })).not.toContain('other');
    }
  });

  test('a search finds a key by its id, whole or as it begins, and by its token', async () => {
    const id = keys['other'] ?? '';
    for (const search of [id, id.slice(0, 13).toUpperCase(), prefixes['other'] ?? '']) {
      expect(await namesOf({ search }), search).toContain('other');
      expect(await namesOf({ search, state: 'revoked' }), search).toEqual([]);
    }
  });

  test('every key is on exactly one page, although all were made at the same time', async () => {
    await db.execute(sql`insert into api_keys (name, account, plan, created_at)
      select 'twin', 'twins', 'free', '2026-01-01' from generate_series(1, 25)`);
    for (const filter of [
      { account: 'twins' },
      { name: 'TWIN' },
      { search: 'win' },
      { search: 'tw' },
      ...keySorts.map((sort) => ({ sort, account: 'twins' })),
    ]) {
      const pages = await pagesOf(db, filter, 10);
      expect(pages.map(({ length }) => length)).toEqual([10, 10, 5]);
      expect(new Set(pages.flat()).size).toBe(25);
    }
  });

  test('the ledger says when a key was used and called something deprecated', async () => {
    const usage = createUsageRepository(db);
    const { id } = await createApiKey(db, { name: 'ledger', plan: 'free' });
    await db.execute(sql`update usage.last_used set created_at = now() - interval '9 days'
      where key_id = ${id}`);
    const ids = (filter: KeyFilter) => idsOf(db, filter);
    expect(await ids({ unusedForDays: 8 })).toContain(id);
    const now = new Date();
    const entry = { keyId: id, plan: 1, outcome: 0, requests: 1 };
    const minute = Math.floor(now.getTime() / 60_000);
    const flush = { replica: randomUUID(), sequence: 1, flushedAt: now };
    await usage.add({ ...flush, entries: [{ ...entry, minute, operation: 1 }] });
    while (await usage.rollUp());
    expect(await ids({ unusedForDays: 8 })).not.toContain(id);
    expect(await ids({ deprecatedWithinDays: 1 })).not.toContain(id);
    // The operation `getPet`.
    await usage.add({ ...flush, sequence: 2, entries: [{ ...entry, minute, operation: 3 }] });
    while (await usage.rollUp());
    expect(await ids({ deprecatedWithinDays: 1 })).toContain(id);
  });
});

describe('among many keys', () => {
  const count = 12_000;
  let database: ReturnType<typeof openWithoutLimits>;
  beforeAll(async () => {
    const created = await createDatabase('postgres');
    database = openWithoutLimits(created);
    await fillKeys(database.db, count);
    // Some of each state, so that revoked and expired ones are suspended as well.
    await database.db.execute(
      sql`update api_keys set suspended_at = now() where abs(hashtext(id::text)) % 40 = 0`,
    );
    await database.db.execute(
      sql`insert into accounts (name, suspended_at) values ('A-79', now()), ('nobody', now())
        on conflict (name) do update set suspended_at = now()`,
    );
    await database.db.execute(sql`analyze api_keys`);
    return async () => {
      await database.close();
      await created[Symbol.asyncDispose]();
    };
  });

  async function numberOf(db: Database, query: ReturnType<typeof sql>): Promise<number> {
    const [row] = (await db.execute(sql`select (${query})::integer as number`)) as unknown as {
      number: number;
    }[];
    return row?.number ?? Number.NaN;
  }

  const filters: readonly KeyFilter[] = [
    {},
    { plan: 'free' },
    { plan: 'enterprise' },
    { state: 'active' },
    { state: 'expired' },
    { state: 'revoked' },
    { state: 'suspended' },
    { plan: 'enterprise', state: 'revoked' },
    { plan: 'enterprise', state: 'expired' },
    { plan: 'enterprise', state: 'suspended' },
    { name: 'client' },
    { name: 'zebra' },
    { name: 'nobody' },
    { account: 'big' },
    { account: 'A-77' },
    { account: 'A-79', state: 'suspended' },
    { account: 'A-79', state: 'active' },
    { state: 'suspended', sort: 'name' },
    { tokenPrefix: 'ast_0000' },
    { search: 'EBRA' },
    { search: 'lient 12' },
    { search: 'a-77' },
    { search: 'ast_0000' },
    { search: 'nobody' },
    { search: 'ebra', state: 'revoked' },
    { search: 'ebra', sort: 'name' },
    { deprecatedWithinDays: 30 },
    { unusedForDays: 90 },
    { account: 'big', plan: 'enterprise' },
    { account: 'big', unusedForDays: 400 },
    { name: 'client', plan: 'enterprise', state: 'expired' },
    { deprecatedWithinDays: 400, plan: 'enterprise' },
    { unusedForDays: 30, plan: 'enterprise', state: 'expired' },
    // Keys without a name are there, too.
    { sort: 'name' },
    { sort: '-name' },
    { sort: 'created' },
    { sort: 'lastUse' },
    { sort: '-lastUse' },
    { sort: 'plan' },
    { sort: '-plan' },
    { sort: 'created', plan: 'enterprise' },
    { sort: 'name', account: 'A-77' },
    { sort: '-lastUse', plan: 'enterprise', state: 'revoked' },
    { sort: '-lastUse', plan: 'free', state: 'expired' },
  ];

  test.each(filters)('a page of %j is read from indexes alone', async (filter) => {
    const scans = await inTransaction('a_test', database.db, async (tx) => {
      // What the connection has not reported yet; it reports between transactions only.
      const tables = ['api_keys', 'api_tokens', 'usage.last_used'].map(
        (table) => sql`pg_stat_get_xact_numscans(${table}::regclass)`,
      );
      const scansSoFar = () => numberOf(tx, sql.join(tables, sql` + `));
      const before = await scansSoFar();
      await searchKeys(tx, filter, 20, undefined);
      return (await scansSoFar()) - before;
    });
    expect(scans).toBe(0);
  });

  // The last one finds more than are sorted.
  test.each<KeyFilter>([...filters, { sort: 'name', plan: 'free' }])(
    'the pages of %j hold what a scan of all keys finds',
    async (filter) => {
      const { plan, state, name, account, tokenPrefix, deprecatedWithinDays, unusedForDays } =
        filter;
      const { search } = filter;
      const expected = (await database.db.execute(sql`
      select key.id from api_keys key join usage.last_used last on last.key_id = key.id
      where ${plan ?? null}::text is null or key.plan::text = ${plan ?? null}
      group by key.id
      having bool_and(
        coalesce(case when revoked_at is not null then 'revoked' when expires_at <= now()
          then 'expired' when suspended_at is not null
          or account in (select accounts.name from accounts where accounts.suspended_at is not null)
          then 'suspended' else 'active' end = ${state ?? null}::text, ${state === undefined})
        and coalesce(starts_with(lower(name), lower(${name ?? null}::text)), ${name === undefined})
        and coalesce(account = ${account ?? null}::text, ${account === undefined})
        and (${tokenPrefix === undefined} or exists (
          select from api_tokens where key_id = key.id and prefix = ${tokenPrefix ?? null}::text))
        and (${search === undefined} or coalesce(strpos(lower(name), lower(${search ?? null}::text)) > 0, false)
          or coalesce(strpos(lower(account), lower(${search ?? null}::text)) > 0, false) or exists (
          select from api_tokens where key_id = key.id and prefix = ${search ?? null}::text))
        and (${deprecatedWithinDays === undefined} or coalesce(last.deprecated_at
          >= now() - make_interval(days => ${deprecatedWithinDays ?? 0}), false))
        and (${unusedForDays === undefined} or coalesce(last.at, last.created_at)
          < now() - make_interval(days => ${unusedForDays ?? 0})))`)) as unknown as {
        id: string;
      }[];
      const found = await idsOf(database.db, filter, 2_000);
      expect(new Set(found).size).toBe(found.length);
      expect(found.toSorted()).toEqual(expected.map(({ id }) => id).sort());
    },
  );

  test('a page that finds too few among those that it looks at is short, and has a next one', async () => {
    const pages = await pagesOf(database.db, { account: 'big', plan: 'enterprise' });
    const all = await numberOf(
      database.db,
      sql`select count(*) from api_keys where account = 'big' and plan = 'enterprise'`,
    );
    expect(pages.length).toBeGreaterThan(1);
    expect(all).toBeGreaterThan(0);
    expect(pages.flat()).toHaveLength(all);
  });

  test('the keys of a large suspended account are found among the newest keys', async () => {
    const { db } = database;
    await db.execute(sql`insert into api_keys (name, account, plan, created_at)
      select 'many', 'huge', 'free', now() - n * interval '1 millisecond' from generate_series(1, 10001) n`);
    await db.execute(sql`update accounts set suspended_at = now() where name = 'huge'`);
    const found = await idsOf(db, { state: 'suspended' }, 2_000);
    await db.execute(sql`update accounts set suspended_at = null where name = 'huge'`);
    const others = await idsOf(db, { state: 'suspended' }, 2_000);
    expect(found).toHaveLength(10_001 + others.length);
    expect(new Set(found).size).toBe(found.length);
    // The newest keys are those of the account.
    expect(found.slice(-others.length)).toEqual(others);
  });
});
