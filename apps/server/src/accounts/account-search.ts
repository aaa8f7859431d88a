import type { Account, AccountFilter } from '@animal-store/contract/admin';
import { and, eq, gt, isNotNull, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import type { ListPage, ListPosition } from '../database/list-page.ts';
import { accounts, apiKeys } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { readAccounts } from './account-record.ts';

/** Positions have an id. The name of an account is unique, so it needs none. */
const noId = '-';

const selectNames = statement(
  'list_accounts',
  (db, filter: AccountFilter, after: string | undefined, limit: number) =>
    db
      .select({ name: accounts.name })
      .from(accounts)
      .where(and(after === undefined ? undefined : gt(accounts.name, after), ...matches(filter)))
      .orderBy(accounts.name)
      .limit(limit),
);

/** The conditions of all filters. An account that lost its keys stays only while something is decided about it. */
function matches({ plan, suspended, search }: AccountFilter): (SQL | undefined)[] {
  const isDecided = or(isNotNull(accounts.plan), isNotNull(accounts.suspendedAt));
  // Not `exists`: for that, Postgres may read all keys, to look up each account among them.
  const hasKey = sql`(select true from ${apiKeys} where ${apiKeys.account} = accounts.name limit 1)`;
  return [
    plan === undefined ? undefined : eq(accounts.plan, plan),
    suspended === undefined ? undefined : isNotNull(accounts.suspendedAt),
    search === undefined ? undefined : sql`strpos(lower(${accounts.name}), lower(${search})) > 0`,
    plan === undefined && suspended === undefined ? or(isDecided, hasKey) : undefined,
  ];
}

/** Finds a page of accounts, by name. */
export async function searchAccounts(
  db: Database,
  filter: AccountFilter,
  limit: number,
  position: ListPosition | undefined,
): Promise<ListPage<Account>> {
  // One more than asked for tells whether there is a next page.
  const found = await selectNames(db, filter, position?.place, limit + 1);
  const names = found.slice(0, limit).map(({ name }) => name);
  const last = names.at(-1);
  const isMore = found.length > limit && last !== undefined;
  return {
    items: await readAccounts(db, names),
    next: isMore ? { id: noId, place: last } : undefined,
  };
}

/** Whether a position may be one of the list of accounts. Postgres has no text with a NUL. */
export function isAccountPosition({ id, place }: ListPosition): boolean {
  return id === noId && !place.includes('\0');
}
