import { type KeyFilter, keyStates, type ListedKey } from '@animal-store/admin-contract';
import type { PlanName } from '@animal-store/contract';
import { type Database, statement } from '@animal-store/postgres';
import { and, eq, gt, gte, isNull, lt, type SQL, sql } from 'drizzle-orm';
import { isActive } from '../schema/lifetime.ts';
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
import { accounts, apiKeys, apiTokens, openBans } from '../schema/schema.ts';
import { isFound } from '../schema/search-text.ts';
import {
  type CountOfToday,
  counts,
  countsOfToday,
  isToday,
  largestTotalId,
  lastUsed,
  leastNearLimit,
  nearLimitOf,
} from '../usage/usage-tables.ts';
import { completeKeys, isInState, keyColumns } from './key-record.ts';

const created: SortColumn = [apiKeys.createdAt, 'timestamptz'];

const lastUse = sql`coalesce(${lastUsed.at}, ${lastUsed.createdAt})`;

// The SQL expression by which lists are sorted by name. API keys without a name come first. The
// index on names has the same expression, so Postgres can use the index.
const sortedName = sql<string>`coalesce(lower(${apiKeys.name}) collate "C", '')`;

/** The columns of each sort order. The id is appended as the last column. */
const orders = {
  name: [[sortedName, 'text']],
  created: [created],
  lastUse: [[lastUse, 'timestamptz']],
  plan: [[apiKeys.plan, 'plan_name'], created],
  deprecatedCall: [[lastUsed.deprecatedAt, 'timestamptz']],
  expiry: [[apiKeys.expiresAt, 'timestamptz']],
} satisfies Record<string, readonly SortColumn[]>;

/**
 * A part of the list of API keys. In some sort orders, the list consists of several parts, each
 * with its own SQL query.
 */
interface KeyListPart extends ListOrder {
  readonly condition?: SQL | undefined;
  /**
   * If the list of API keys is sorted by today's usage: the SQL subquery that counts today's
   * requests.
   */
  readonly today?: SQL;
}

const sortBy = (name: keyof typeof orders, isDescending: boolean): KeyListPart => ({
  columns: [...orders[name], [apiKeys.id, 'uuid']],
  isDescending,
});

const newest = sortBy('created', true);

/**
 * Returns the parts of the list for a filter. The parts have the requested sort order, or else the
 * sort order that suits the first filter.
 */
function listParts(filter: KeyFilter): readonly KeyListPart[] {
  const { sort, banned, tokenPrefix, account, search } = filter;
  switch (sort) {
    case undefined:
      break;
    // The API keys of each state are a separate part of the list. So Postgres stops when a page is
    // full, instead of sorting all API keys.
    case 'state':
    case '-state': {
      const states = sort === 'state' ? keyStates : keyStates.toReversed();
      return states.map((state) => ({ ...newest, condition: isInState(state) }));
    }
    case '-requests':
    case '-denials':
      return partsByUsageToday(countsOfToday[sort], filter);
    default: {
      const by = sort.replace('-', '') as 'name' | 'created' | 'lastUse' | 'plan';
      return [sortBy(by, sort !== by)];
    }
  }
  if ((banned ?? tokenPrefix ?? account ?? search) !== undefined) return [newest];
  if (filter.name !== undefined) return [sortBy('name', false)];
  if (filter.deprecatedWithinDays !== undefined) return [sortBy('deprecatedCall', true)];
  if (filter.expiresWithinDays !== undefined) return [sortBy('expiry', false)];
  if (filter.unusedForDays !== undefined) return [sortBy('lastUse', true)];
  return [filter.state === 'expired' ? sortBy('expiry', true) : newest];
}

/**
 * Returns the two parts of the list: first the API keys that were used today, then all other keys.
 */
function partsByUsageToday(kind: CountOfToday, { search }: KeyFilter): readonly KeyListPart[] {
  // If the request contains a search text, Postgres sums only the counts of the API keys that match
  // the text.
  const isSearched =
    search === undefined
      ? sql`${counts.keyId} > ${largestTotalId}`
      : sql`${counts.keyId} in (select id from ${apiKeys} where ${isFoundBy(search)})`;
  const today = sql`(select ${counts.keyId}, sum(${counts.requests}) as count from ${counts}
    where ${isToday(kind)} and ${isSearched} group by ${counts.keyId}) today`;
  const isUnusedToday = sql`not exists (select from ${counts} where ${counts.keyId} = ${apiKeys.id} and ${isToday(kind)})`;
  const columns: SortColumn[] = [
    [sql`today.count`, 'numeric'],
    [sql`today.key_id`, 'uuid'],
  ];
  return [
    { columns, isDescending: true, today },
    { ...newest, condition: isUnusedToday },
  ];
}

/**
 * Returns the subquery of today's usage in the requested order, so that Postgres looks up only the
 * API keys of one page. Without filters, the subquery returns only as many rows as the page needs.
 * With filters, it returns all rows, because the filters may remove some of them.
 */
function sortToday(
  list: KeyListPart & Required<Pick<KeyListPart, 'today'>>,
  { sort: _, ...filters }: KeyFilter,
  limit: number,
  position: ListPosition | undefined,
): SQL {
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const sorted = sql.join(sortedBy(list), sql`, `);
  const most = isFiltered ? sql`offset 0` : sql`limit ${limit}`;
  return sql`(select * from ${list.today} where ${and(sql`true`, isAfter(list, position))} order by ${sorted} ${most}) today`;
}

const daysAgo = (days: number): SQL => sql`now() - make_interval(days => ${days})`;

/**
 * Returns the SQL condition that an API key has, or had, a token with the given prefix. The
 * condition uses an array, because Postgres then uses the index.
 */
const hasToken = (prefix: string): SQL =>
  sql`${apiKeys.id} = any (array(select ${apiTokens.holderId} from ${apiTokens} where ${apiTokens.prefix} = ${prefix}))`;

/**
 * The SQL expression for the end of an API key's last ban. A key may have several bans, because
 * each replica of the service may ban it without the others while Redis is unavailable. The
 * expression is null for a revoked or expired key: see `isInForce` in `current-bans.ts`.
 */
const bannedUntil = sql<string | null>`(select max(until) from open_bans
  where key_id = ${apiKeys.id} and until > now() and ${isActive(apiKeys)})`.mapWith(openBans.until);

const conditions: {
  readonly [Name in keyof Omit<KeyFilter, 'sort'>]-?: (
    value: NonNullable<KeyFilter[Name]>,
  ) => SQL | undefined;
} = {
  plan: isInForce,
  state: isInState,
  name: (start) => sql`starts_with(${sortedName}, lower(${start}))`,
  account: (account) => eq(apiKeys.account, account),
  tokenPrefix: hasToken,
  search: isFoundBy,
  banned: () =>
    and(
      isActive(apiKeys),
      sql`${apiKeys.id} in (select key_id from open_bans where until > now())`,
    ),
  deprecatedWithinDays: (days) => gte(lastUsed.deprecatedAt, daysAgo(days)),
  expiresWithinDays: (days) =>
    and(
      isNull(apiKeys.revokedAt),
      gt(apiKeys.expiresAt, sql`now()`),
      lt(apiKeys.expiresAt, sql`now() + make_interval(days => ${days})`),
    ),
  // The inner subquery first selects the few API keys whose requests of today are near the smallest
  // limit of any plan. Otherwise Postgres would look up each API key that was used today.
  nearLimit: () => sql`${apiKeys.id} in (select busy.id
    from (select ${counts.keyId}, sum(${counts.requests}) as admitted from ${counts}
      where ${isToday('admitted')} group by ${counts.keyId}
      having sum(${counts.requests}) >= ${leastNearLimit()}) used
    join api_keys busy on busy.id = used.key_id and used.admitted >= ${nearLimitOf('busy')}
    left join accounts holder on holder.name = busy.account where holder.plan is null)`,
  // An API key that was created in the last `days` days cannot be unused for `days` days. So the
  // condition on `createdAt` does not change the result. It lets a list that is sorted by creation
  // date skip all these API keys.
  unusedForDays: (days) => and(lt(lastUse, daysAgo(days)), lt(apiKeys.createdAt, daysAgo(days))),
};

/**
 * Returns the SQL condition that a plan applies to an API key. The two subqueries on accounts do
 * not depend on the key, so Postgres runs each of them once.
 */
function isInForce(plan: PlanName): SQL {
  return sql`(${apiKeys.account} in (select name from accounts where plan = ${plan})
    or ${apiKeys.plan} = ${plan} and (${apiKeys.account} is null
      or ${apiKeys.account} not in (select name from accounts where plan is not null)))`;
}

/**
 * Returns the SQL condition that an API key matches a search. The text is part of the key's name or
 * account, or the start of its id or of one of its tokens.
 */
function isFoundBy(text: string): SQL {
  const parts = [isFound('api_keys', text)];
  const digits = text.toLowerCase().replaceAll('-', '');
  // A text with fewer than four digits is not searched in ids, because it would match too many API
  // keys.
  if (/^[0-9a-f]{4,32}$/.test(digits)) {
    parts.push(
      sql`${apiKeys.id} between ${digits.padEnd(32, '0')}::uuid and ${digits.padEnd(32, 'f')}::uuid`,
    );
  }
  const prefix = /^ast_[0-9A-Za-z]{4}/.exec(text)?.[0];
  if (prefix !== undefined) parts.push(hasToken(prefix));
  return sql`(${sql.join(parts, sql` or `)})`;
}

function matches(filter: KeyFilter): SQL | undefined {
  return and(
    ...Object.entries(conditions).map(([name, conditionOf]) => {
      const value = filter[name as keyof typeof conditions];
      return value === undefined ? undefined : conditionOf(value as never);
    }),
  );
}

const selectKeys = statement(
  'list_keys',
  (db, filter: KeyFilter, list: KeyListPart, limit: number, position: ListPosition | undefined) => {
    const keys = db
      .select({ ...keyColumns, bannedUntil, place: positionOf(list) })
      .from(apiKeys)
      .innerJoin(lastUsed, eq(lastUsed.keyId, apiKeys.id))
      .leftJoin(accounts, eq(accounts.name, apiKeys.account))
      .$dynamic();
    const { today } = list;
    if (today !== undefined) {
      const sorted = sortToday({ ...list, today }, filter, limit, position);
      keys.innerJoin(sorted, sql`today.key_id = ${apiKeys.id}`);
    }
    return keys
      .where(and(matches(filter), list.condition, isAfter(list, position)))
      .orderBy(...sortedBy(list))
      .limit(limit);
  },
);

// The query joins the times of the last use only if a filter needs them. With this join, Postgres
// read all API keys in the order of their ids. Counting the suspended ones among a million API keys
// took 2.3 s with the join, and 0.2 s without it.
const countFound = statement('count_found_keys', (db, filter: KeyFilter) => {
  const found = db.select({ id: apiKeys.id }).from(apiKeys).$dynamic();
  const { deprecatedWithinDays, unusedForDays } = filter;
  if ((deprecatedWithinDays ?? unusedForDays) !== undefined)
    found.innerJoin(lastUsed, eq(lastUsed.keyId, apiKeys.id));
  return countRows(db, found.where(matches(filter)));
});

/**
 * Counts the API keys that match a filter. Returns `maxCounted + 1` if there are more than
 * `maxCounted`.
 */
export const countFoundKeys = (db: Database, filter: KeyFilter): Promise<number> =>
  countFound(db, filter).then(([row]) => row?.count ?? 0);

export async function searchKeys(
  db: Database,
  filter: KeyFilter,
  limit: number,
  position: ListPosition | undefined,
): Promise<ListPage<ListedKey>> {
  const { items, next } = await readListParts(
    listParts(filter),
    { limit, position },
    (list, most, from) => selectKeys(db, filter, list, most, from),
  );
  return { items: await completeKeys(db, items), next };
}
