import type { Account, AccountFilter } from '@animal-store/contract/admin';
import { and, eq, gt, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { folded } from '../database/folded-text.ts';
import { type ListPage, type ListPosition, pageOf } from '../database/list-page.ts';
import { accounts } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { readAccounts } from './account-record.ts';

/** Positions have an id. The name of an account is unique, so it needs none. */
const noId = '-';

const selectNames = statement(
  'list_accounts',
  (db, filter: AccountFilter, after: string | undefined, limit: number) => {
    const isAfter = after === undefined ? undefined : gt(accounts.name, after);
    const { plan, suspended } = filter;
    // With an offset of none Postgres does not merge the two queries. The inner one then may read
    // an index of names alone, and what follows is asked of the few that it finds.
    const found = sql`(select name from accounts
      where ${and(sql`true`, isAfter, ...matches(filter))} order by name offset 0) found`;
    return db
      .select({ name: sql<string>`found.name` })
      .from(found)
      .where(plan === undefined && suspended === undefined ? isKept : undefined)
      .orderBy(sql`found.name`)
      .limit(limit);
  },
);

function matches({ plan, suspended, search, anyCaseOf }: AccountFilter): (SQL | undefined)[] {
  return [
    plan === undefined ? undefined : eq(accounts.plan, plan),
    suspended === undefined ? undefined : isNotNull(accounts.suspendedAt),
    search === undefined ? undefined : sql`strpos(${folded(accounts.name)}, ${folded(search)}) > 0`,
    anyCaseOf === undefined ? undefined : sql`lower(${accounts.name}) = lower(${anyCaseOf})`,
  ];
}

/**
 * The condition that a key has an account, or that something is decided about it. Not `exists`: for that,
 * Postgres may read all keys, to look up each account among them.
 */
const isKept = sql`((select true from api_keys where account = found.name limit 1)
  or (select plan is not null or suspended_at is not null from accounts where name = found.name))`;

export async function searchAccounts(
  db: Database,
  filter: AccountFilter,
  limit: number,
  position: ListPosition | undefined,
): Promise<ListPage<Account>> {
  const found = await selectNames(db, filter, position?.place, limit + 1);
  const { items, next } = pageOf(found, limit, ({ name }) => ({ id: noId, place: name }));
  const names = items.map(({ name }) => name);
  return { items: await readAccounts(db, names), next };
}

/** Whether a position may be one of the list of accounts. Postgres has no text with a NUL. */
export function isAccountPosition({ id, place }: ListPosition): boolean {
  return id === noId && !place.includes('\0');
}
