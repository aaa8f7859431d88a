import type { Account, AccountFilter } from '@animal-store/contract/admin';
import { and, eq, isNotNull, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { folded } from '../database/folded-text.ts';
import {
  countRows,
  isPlaceIn,
  type ListPage,
  type ListPosition,
  pageOf,
  readLists,
} from '../database/list-page.ts';
import { accounts, apiKeys } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { type CountOfToday, counts, isOfToday, perDayOf } from '../usage/usage-tables.ts';
import { readAccounts } from './account-record.ts';

/** Positions have an id. The name of an account is unique, so it needs none. */
const noId = '-';

/** A list of accounts, or one of several that follow each other. */
interface AccountList {
  readonly from: SQL;
  readonly columns: readonly SQL[];
  readonly isDescending: boolean;
  readonly place: SQL<string>;
  readonly valuesOf: (place: string) => readonly SQL[];
  /** Whether a text may be a place in it. Anybody can forge a cursor. */
  readonly isPlace: (text: string) => boolean;
  readonly condition?: SQL;
}

// "C-2" comes before "C-10": by what is before the number at the end, and then the shorter number. Not by all numbers
// in a name, which would take a regular expression for each account of the table.
const naturally = (name: SQLWrapper): SQL[] => [
  sql`rtrim(${name}, '0123456789')`,
  sql`length(${name})`,
  sql`${name}`,
];

const byName = (isDescending: boolean): AccountList => ({
  from: sql`${accounts}`,
  columns: naturally(accounts.name),
  isDescending,
  place: sql<string>`${accounts.name}`,
  valuesOf: (place) => naturally(sql`${place}::text`),
  // Postgres has no text with a NUL.
  isPlace: (text) => !text.includes('\0'),
});

/** What the keys of accounts were used for today. */
const sumsOf = (
  kind: CountOfToday,
) => sql`(select ${apiKeys.account}, sum(${counts.requests}) as count
  from ${counts} join ${apiKeys} on ${apiKeys.id} = ${counts.keyId}
  where ${isOfToday(kind)} and ${apiKeys.account} is not null group by ${apiKeys.account}) today`;

/** Those with a count today, and then those without one. */
const countedToday = (kind: CountOfToday): readonly AccountList[] => [
  {
    from: sql`${sumsOf(kind)} join ${accounts} on ${accounts.name} = today.account`,
    columns: [sql`today.count`, sql`${accounts.name}`],
    isDescending: true,
    place: sql<string>`today.count || ' ' || ${accounts.name}`,
    valuesOf(place) {
      const [count = ''] = place.split(' ', 1);
      return [sql`${count}::numeric`, sql`${place.slice(count.length + 1)}::text`];
    },
    isPlace: (text) => /^\d{1,16} [^\0]*$/.test(text),
  },
  {
    ...byName(false),
    condition: sql`${accounts.name} not in (select account from ${sumsOf(kind)})`,
  },
];

function listsOf({ sort = 'name' }: AccountFilter): readonly AccountList[] {
  if (sort === '-requests') return countedToday('requests');
  return sort === '-denials' ? countedToday('denials') : [byName(sort === '-name')];
}

const selectNames = statement(
  'list_accounts',
  (
    db,
    filter: AccountFilter,
    { from, columns, isDescending, place, valuesOf, condition }: AccountList,
    limit: number,
    after: string | undefined,
  ) => {
    const isAfter =
      after === undefined
        ? undefined
        : sql`(${sql.join([...columns], sql`, `)}) ${sql.raw(isDescending ? '<' : '>')}
          (${sql.join([...valuesOf(after)], sql`, `)})`;
    // By their places in the inner query, whose order Postgres then knows to be that of the outer one.
    const sorted = columns.map((_, n) => sql.raw(`c${n} ${isDescending ? 'desc' : 'asc'}`));
    const named = columns.map((column, n) => sql`${column} as ${sql.raw(`c${n}`)}`);
    const { plan, suspended } = filter;
    // With an offset of none Postgres does not merge the two queries: what follows is asked of the few that the
    // inner one finds, in its order.
    const found = sql`(select ${accounts.name}, ${place} as place, ${sql.join(named, sql`, `)} from ${from}
      where ${and(sql`true`, condition, isAfter, ...matches(filter))}
      order by ${sql.join(sorted, sql`, `)} offset 0) found`;
    return db
      .select({ name: sql<string>`found.name`, place: sql<string>`found.place` })
      .from(found)
      .where(plan === undefined && suspended === undefined ? isKept : undefined)
      .orderBy(...sorted)
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
        where ${isOfToday('admitted')} and holder.plan is not null
        group by holder.id having sum(${counts.requests}) >= 0.8 * ${perDayOf('holder')})`,
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

const countFound = statement('count_found_accounts', (db, filter: AccountFilter) =>
  countRows(
    db,
    sql`select from (select ${accounts.name} from ${accounts} where ${and(sql`true`, ...matches(filter))} offset 0) found where ${isKept}`,
  ),
);

/** How many accounts a filter finds: `maxCounted + 1` for more than that. */
export const countFoundAccounts = (db: Database, filter: AccountFilter): Promise<number> =>
  countFound(db, filter).then(([row]) => row?.count ?? 0);

export async function searchAccounts(
  db: Database,
  filter: AccountFilter,
  limit: number,
  position: ListPosition | undefined,
): Promise<ListPage<Account>> {
  const lists = listsOf(filter);
  const asked = { lists: lists.length, limit: limit + 1, position };
  const found = await readLists(asked, (list, most, from) =>
    selectNames(db, filter, lists[list] as AccountList, most, from?.place),
  );
  const { items, next } = pageOf(found, limit, ({ place }) => ({ id: noId, place }));
  const names = items.map(({ name }) => name);
  return { items: await readAccounts(db, names), next };
}

/** Whether a position may be one of the list of accounts that a filter finds. */
export const isAccountPosition =
  (filter: AccountFilter) =>
  ({ id, place }: ListPosition): boolean =>
    id === noId &&
    isPlaceIn(
      listsOf(filter).map(({ isPlace }) => isPlace),
      place,
    );
