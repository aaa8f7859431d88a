import type { Database } from '@animal-store/postgres';
import { inTransaction } from '@animal-store/postgres';
import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { searchAccounts } from '../../src/accounts/account-search.ts';
import { searchEntries } from '../../src/audit/audit-search.ts';
import { countFoundKeys, searchKeys } from '../../src/keys/key-search.ts';
import { createDatabase, openWithoutLimits } from '../support/databases.ts';
import { select } from '../support/explain.ts';

// Regression: with a million API keys, a search took 3.4 s and the filter `nearLimit` took 5 s,
// because Postgres read all keys.
let db: Database;
beforeAll(async () => {
  const database = await createDatabase('postgres');
  const opened = openWithoutLimits(database);
  db = opened.db;
  for (const statement of [
    `insert into api_keys (name, account, plan)
      select 'Café ' || n, 'C-' || n, 'free' from generate_series(10001, 30000) n`,
    `insert into usage.counts (key_id, span, at, operation, outcome, requests)
      select id, 1440, date_trunc('day', now(), 'UTC'), 1, 0, case account when 'C-17171' then 999 else 1 end
      from api_keys`,
    `update api_keys set expires_at = case account when 'C-10005' then now() - interval '1 day'
      else now() + interval '3 days' end where account in ('C-10005', 'C-10006')`,
    `insert into audit_entries (at, actor_type, actor_name, action, subject_type, subject_id, subject_name, before, after)
      select now(), 'system', 'service', 'ban.started', 'key', id, name, '{}', '{}' from api_keys`,
    'vacuum analyze',
  ])
    await db.execute(sql.raw(statement));
  return async () => {
    await opened.close();
    await database[Symbol.asyncDispose]();
  };
});

type Search = (db: Database) => Promise<{ readonly items: readonly unknown[] }>;

const keys =
  (filter: Parameters<typeof searchKeys>[1]): Search =>
  (db) =>
    searchKeys(db, filter, 50, undefined);

test.each<[title: string, table: string, search: Search, found: number]>([
  ['a key by a rare part of its name', 'api_keys', keys({ search: 'FE 17171' }), 1],
  ['a key by its account', 'api_keys', keys({ search: 'C-29999' }), 1],
  ['a key by the beginning of its id or its token', 'api_keys', keys({ search: 'ast_fade' }), 0],
  ['no key by a wildcard character', 'api_keys', keys({ search: 'C-2_99' }), 0],
  ['a key that is near its limit', 'api_keys', keys({ nearLimit: 'true' }), 1],
  ['the expired keys', 'api_keys', keys({ state: 'expired' }), 1],
  ['the keys that expire soon', 'api_keys', keys({ expiresWithinDays: 7 }), 1],
  [
    'the number of expired keys',
    'api_keys',
    async (db) => ({ items: Array(await countFoundKeys(db, { state: 'expired' })) }),
    1,
  ],
  [
    'the number of keys that expire soon',
    'api_keys',
    async (db) => ({ items: Array(await countFoundKeys(db, { expiresWithinDays: 7 })) }),
    1,
  ],
  ['an account', 'accounts', (db) => searchAccounts(db, { search: 'c-29999' }, 50, undefined), 1],
  ['the first accounts', 'accounts', (db) => searchAccounts(db, {}, 50, undefined), 50],
  [
    'the last accounts',
    'accounts',
    (db) => searchAccounts(db, { sort: '-name' }, 50, undefined),
    50,
  ],
  [
    'an audit entry',
    'audit_entries',
    (db) => searchEntries(db, { search: 'cafe 29999' }, 50, undefined),
    1,
  ],
])(
  'the search in the admin API finds %s through an index, without reading the whole table',
  async (_, table, search, found) => {
    await inTransaction('a_test', db, async (tx) => {
      // Parallel workers are disabled, because Postgres does not report how many blocks they read.
      await tx.execute(sql`set local max_parallel_workers_per_gather = 0`);
      const [size] = await select<{ blocks: number }>(
        tx,
        sql`select (pg_relation_size(${table}::regclass) / 8192)::integer as blocks`,
      );
      const blocksRead = async () => {
        const [row] = await select<{ blocks: number }>(
          tx,
          sql`select pg_stat_get_xact_blocks_fetched(${table}::regclass)::integer as blocks`,
        );
        return row?.blocks ?? Number.NaN;
      };
      const before = await blocksRead();
      expect((await search(tx)).items).toHaveLength(found);
      expect((await blocksRead()) - before).toBeLessThan((size?.blocks ?? 0) / 2);
    });
  },
);

// Regression: with a million API keys, counting the suspended keys took longer than 2 s, because
// Postgres joined all keys with the times of their last use.
test('Postgres reads each block of the table at most once when the service counts the suspended API keys', async () => {
  await inTransaction('a_test', db, async (tx) => {
    await tx.execute(sql`set local max_parallel_workers_per_gather = 0`);
    await tx.execute(
      sql`update api_keys set suspended_at = now() where account in ('C-17171', 'C-29999')`,
    );
    const blocksOf = async (...relations: string[]) => {
      const [row] = await select<{ blocks: number; size: number }>(
        tx,
        sql`select sum(pg_stat_get_xact_blocks_fetched(name::regclass))::integer as blocks,
            sum(pg_relation_size(name::regclass) / 8192)::integer as size
          from unnest(string_to_array(${relations.join(' ')}, ' ')) name`,
      );
      return row ?? { blocks: Number.NaN, size: Number.NaN };
    };
    const keysRead = ['api_keys', 'api_keys_pkey'] as const;
    const usesRead = ['usage.last_used', 'usage.last_used_pkey'] as const;
    const [keysBefore, usesBefore] = [await blocksOf(...keysRead), await blocksOf(...usesRead)];
    expect(await countFoundKeys(tx, { state: 'suspended' })).toBe(2);
    const [keysAfter, usesAfter] = [await blocksOf(...keysRead), await blocksOf(...usesRead)];
    expect(keysAfter.blocks - keysBefore.blocks).toBeLessThanOrEqual(keysAfter.size);
    expect(usesAfter.blocks).toBe(usesBefore.blocks);
  });
});
