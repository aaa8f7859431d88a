import type { Account, AccountFilter } from '@animal-store/admin-contract';
import type { Database } from '@animal-store/postgres';
import { statement } from '@animal-store/postgres';
import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm';
import {
  countRows,
  isAfter,
  type ListOrder,
  type ListPage,
  type ListPosition,
  positionOf,
  readListParts,
  type SortColumn,
  sortedBy,
} from '../schema/list-page.ts';
import { accounts, apiKeys } from '../schema/schema.ts';
import { isFound } from '../schema/search-text.ts';
import {
  type CountOfToday,
  counts,
  countsOfToday,
  isToday,
  nearLimitOf,
} from '../usage/usage-tables.ts';
import { readAccounts } from './account-record.ts';

// The columns that sort "C-2" before "C-10": first the text before the number at the end of the
// name, then the length of the name. Sorting by all numbers in a name would need a regular
// expression for each account in the table.
const byName: readonly SortColumn[] = [
  [sql`rtrim(${accounts.name}, '0123456789')`, 'text'],
  [sql`length(${accounts.name})`, 'integer'],
  [accounts.name, 'text'],
];

/**
 * A part of the list of accounts. In some sort orders, the list consists of several parts, each
 * with its own SQL query.
 */
interface AccountListPart extends ListOrder {
  /**
   * If the list of accounts is sorted by today's usage: the SQL subquery that counts today's
   * requests.
   */
  readonly today?: SQL;
  readonly condition?: SQL;
}

/**
 * Returns the two parts of the list: first the accounts that were used today, then all other
 * accounts.
 */
function partsByUsageToday(kind: CountOfToday): readonly AccountListPart[] {
  const today = sql`select ${apiKeys.account}, sum(${counts.requests}) as count
    from ${counts} join ${apiKeys} on ${apiKeys.id} = ${counts.keyId}
    where ${isToday(kind)} and ${apiKeys.account} is not null group by ${apiKeys.account}`;
  const columns: SortColumn[] = [
    [sql`today.count`, 'numeric'],
    [sql`today.account`, 'text'],
  ];
  const isUnusedToday = sql`${accounts.name} not in (select account from (${today}) today)`;
  return [
    { columns, isDescending: true, today },
    { columns: byName, isDescending: false, condition: isUnusedToday },
  ];
}

function listParts({ sort }: AccountFilter): readonly AccountListPart[] {
  if (sort === '-requests' || sort === '-denials') return partsByUsageToday(countsOfToday[sort]);
  return [{ columns: byName, isDescending: sort === '-name' }];
}

const selectNames = statement(
  'list_accounts',
  (
    db,
    filter: AccountFilter,
    list: AccountListPart,
    limit: number,
    position: ListPosition | undefined,
  ) => {
    const { plan, suspended } = filter;
    const { today, condition } = list;
    const sorted = sql.join(sortedBy(list), sql`, `);
    const conditions = and(sql`true`, condition, isAfter(list, position), ...matches(filter));
    if (today !== undefined) {
      // Every account in `today` has an API key, so the query does not check again whether the
      // account exists. The inner query returns only one page, so that Postgres computes the
      // position of no other account.
      const page = sql`(select today.* from (${today}) today
        join ${accounts} on ${accounts.name} = today.account
        where ${conditions} order by ${sorted} limit ${limit}) today`;
      return db
        .select({ name: sql<string>`today.account`, place: positionOf(list) })
        .from(page)
        .orderBy(sorted);
    }
    // `offset 0` prevents Postgres from merging the inner query with the outer query. So Postgres
    // checks the outer condition for one account after the other, in the order of the list, and
    // stops when the page is full.
    const found = sql`(select ${accounts.name}, ${positionOf(list)} as place, row_number() over (order by ${sorted}) as n
      from ${accounts} where ${conditions}
      order by n offset 0) found`;
    return db
      .select({ name: sql<string>`found.name`, place: sql<string>`found.place` })
      .from(found)
      .where(plan === undefined && suspended === undefined ? accountExists : undefined)
      .orderBy(sql`n`)
      .limit(limit);
  },
);

function matches({
  plan,
  suspended,
  nearLimit,
  search,
  anyCaseOf,
}: AccountFilter): (SQL | undefined)[] {
  return [
    plan === undefined ? undefined : eq(accounts.plan, plan),
    suspended === undefined ? undefined : isNotNull(accounts.suspendedAt),
    nearLimit &&
      sql`${accounts.name} in (select holder.name
        from ${counts} join api_keys on id = ${counts.keyId} join accounts holder on holder.name = account
        where ${isToday('admitted')} and holder.plan is not null
        group by holder.id having sum(${counts.requests}) >= ${nearLimitOf('holder')})`,
    search === undefined ? undefined : isFound('accounts', search),
    anyCaseOf === undefined ? undefined : sql`lower(${accounts.name}) = lower(${anyCaseOf})`,
  ];
}

/**
 * The SQL condition that an account exists: it has an API key or a plan, or is suspended. The
 * condition does not use `exists`, because Postgres might then read all keys to find the accounts.
 */
const accountExists = sql`((select true from api_keys where account = found.name limit 1)
  or (select plan is not null or suspended_at is not null from accounts where name = found.name))`;

const countFound = statement('count_found_accounts', (db, filter: AccountFilter) =>
  countRows(
    db,
    sql`select from (select ${accounts.name} from ${accounts} where ${and(sql`true`, ...matches(filter))} offset 0) found where ${accountExists}`,
  ),
);

/**
 * Counts the accounts that match a filter. Returns `maxCounted + 1` if there are more than
 * `maxCounted`.
 */
export const countFoundAccounts = (db: Database, filter: AccountFilter): Promise<number> =>
  countFound(db, filter).then(([row]) => row?.count ?? 0);

export async function searchAccounts(
  db: Database,
  filter: AccountFilter,
  limit: number,
  position: ListPosition | undefined,
): Promise<ListPage<Account>> {
  const { items, next } = await readListParts(
    listParts(filter),
    { limit, position },
    (list, most, from) => selectNames(db, filter, list, most, from),
  );
  const names = items.map(({ name }) => name);
  return { items: await readAccounts(db, names), next };
}
