import { type PlanName, planNames } from '@animal-store/contract';
import { isKeyId, type KeyFilter, keyStates, type ListedKey } from '@animal-store/contract/admin';
import { and, eq, gt, gte, isNull, lt, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { folded } from '../database/folded-text.ts';
import {
  countRows,
  fromMicroseconds,
  isInteger,
  isPlaceIn,
  type ListPage,
  type ListPosition,
  pageOf,
  readLists,
  toMicroseconds,
} from '../database/list-page.ts';
import { accounts, apiKeys, apiTokens, openBans } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { type CountOfToday, counts, isOfToday, lastUsed, perDayOf } from '../usage/usage-tables.ts';
import { completeKeys, keyColumns, keyState } from './key-record.ts';

/** What a list is sorted by, and the id after it. */
interface KeyOrder {
  readonly columns: readonly SQLWrapper[];
  /** The place of a key in this order, as text. Times keep their microseconds, unlike in a `Date`. */
  readonly place: SQL<string>;
  readonly valuesOf: (place: string) => readonly SQL[];
  /** Whether a text may be a place in this order. Anybody can forge a cursor. */
  readonly isPlace: (text: string) => boolean;
}

const lastUse = sql`coalesce(${lastUsed.at}, ${lastUsed.createdAt})`;

const byTime = (at: SQLWrapper): KeyOrder => ({
  columns: [at],
  place: toMicroseconds(at),
  valuesOf: (place) => [fromMicroseconds(place)],
  isPlace: isInteger,
});

// Keys without a name come first. Written as in the index of names.
const sortedName = sql<string>`coalesce(lower(${apiKeys.name}) collate "C", '')`;

const orders = {
  created: byTime(apiKeys.createdAt),
  lastUse: byTime(lastUse),
  deprecatedCall: byTime(lastUsed.deprecatedAt),
  expiry: byTime(apiKeys.expiresAt),
  name: {
    columns: [sortedName],
    place: sortedName,
    valuesOf: (place) => [sql`${place}`],
    // Postgres has no text with a NUL.
    isPlace: (text) => !text.includes('\0'),
  },
  plan: {
    columns: [apiKeys.plan, apiKeys.createdAt],
    place: sql<string>`${apiKeys.plan} || ' ' || ${toMicroseconds(apiKeys.createdAt)}`,
    valuesOf(place) {
      const [plan, time = ''] = place.split(' ');
      return [sql`${plan}::plan_name`, fromMicroseconds(time)];
    },
    isPlace(text) {
      const [plan, time = '', ...rest] = text.split(' ');
      return planNames.some((name) => name === plan) && isInteger(time) && rest.length === 0;
    },
  },
  count: {
    columns: [sql`today.count`],
    place: sql<string>`today.count::text`,
    valuesOf: (place) => [sql`${place}::numeric`],
    isPlace: isInteger,
  },
} satisfies Record<string, KeyOrder>;

/** A list, or one of several that follow each other. */
interface KeyList {
  readonly order: KeyOrder;
  readonly isDescending: boolean;
  readonly condition?: SQL;
  /** What the keys that it has were used for today. */
  readonly counts?: SQL;
}

/** The lists that a filter asks for: by its order, or else by that of the first filter. */
function listsOf(filter: KeyFilter): readonly KeyList[] {
  const { sort, banned, tokenPrefix, account, search } = filter;
  const newest = { order: orders.created, isDescending: true };
  switch (sort) {
    case undefined:
      break;
    // In this way Postgres stops when a page is full, where it would have to sort all keys.
    case 'state':
    case '-state': {
      const states = sort === 'state' ? keyStates : keyStates.toReversed();
      return states.map((state) => ({ ...newest, condition: eq(keyState, state) }));
    }
    case '-requests':
    case '-denials':
      return countedToday(sort === '-requests' ? 'requests' : 'denials');
    default: {
      const by = sort.replace('-', '') as 'name' | 'created' | 'lastUse' | 'plan';
      return [{ order: orders[by], isDescending: sort !== by }];
    }
  }
  if ((banned ?? tokenPrefix ?? account ?? search) !== undefined) return [newest];
  if (filter.name !== undefined) return [{ order: orders.name, isDescending: false }];
  if (filter.deprecatedWithinDays !== undefined) {
    return [{ order: orders.deprecatedCall, isDescending: true }];
  }
  if (filter.expiresWithinDays !== undefined) {
    return [{ order: orders.expiry, isDescending: false }];
  }
  if (filter.unusedForDays !== undefined) return [{ order: orders.lastUse, isDescending: true }];
  return filter.state === 'expired' ? [{ order: orders.expiry, isDescending: true }] : [newest];
}

/** Those with a count today, and then those without one. */
function countedToday(kind: CountOfToday): readonly KeyList[] {
  // Sorted by itself: then Postgres looks up only the keys that a page shows.
  const counted = sql`(select ${counts.keyId}, sum(${counts.requests}) as count from ${counts}
    where ${isOfToday(kind)} group by ${counts.keyId} order by 2 desc, 1 desc offset 0) today`;
  const hasNone = sql`not exists (select from ${counts} where ${counts.keyId} = ${apiKeys.id} and ${isOfToday(kind)})`;
  return [
    { order: orders.count, isDescending: true, counts: counted },
    { order: orders.created, isDescending: true, condition: hasNone },
  ];
}

const daysAgo = (days: number): SQL => sql`now() - make_interval(days => ${days})`;

/** The condition that a key has, or had, a token that begins so. */
const hasToken = (prefix: string): SQL =>
  sql`${apiKeys.id} in (select ${apiTokens.holderId} from ${apiTokens} where ${apiTokens.prefix} = ${prefix})`;

/** When the ban of a key ends. A key may have two: one that began while the end of another was on its way. */
const bannedUntil = sql<string | null>`(select max(until) from open_bans
  where key_id = ${apiKeys.id} and until > now())`.mapWith(openBans.until);

const conditions: {
  readonly [Name in keyof Omit<KeyFilter, 'sort'>]-?: (
    value: NonNullable<KeyFilter[Name]>,
  ) => SQL | undefined;
} = {
  plan: isInForce,
  state: (state) => eq(keyState, state),
  name: (start) => sql`starts_with(${sortedName}, lower(${start}))`,
  account: (account) => eq(apiKeys.account, account),
  tokenPrefix: hasToken,
  search: isFoundBy,
  banned: () => sql`${apiKeys.id} in (select key_id from open_bans where until > now())`,
  deprecatedWithinDays: (days) => gte(lastUsed.deprecatedAt, daysAgo(days)),
  expiresWithinDays: (days) =>
    and(
      isNull(apiKeys.revokedAt),
      gt(apiKeys.expiresAt, sql`now()`),
      lt(apiKeys.expiresAt, sql`now() + make_interval(days => ${days})`),
    ),
  nearLimit: () => sql`${apiKeys.id} in (select busy.id
    from (select ${counts.keyId}, sum(${counts.requests}) as admitted from ${counts}
      where ${isOfToday('admitted')} group by ${counts.keyId}) used
    join api_keys busy on busy.id = used.key_id and used.admitted >= 0.8 * ${perDayOf('busy')}
    left join accounts holder on holder.name = busy.account where holder.plan is null)`,
  // A list by creation begins at the first that is so old.
  unusedForDays: (days) => and(lt(lastUse, daysAgo(days)), lt(apiKeys.createdAt, daysAgo(days))),
};

/** The condition that a plan holds for a key. As two lists of accounts, which Postgres reads once. */
function isInForce(plan: PlanName): SQL {
  return sql`(${apiKeys.account} in (select name from accounts where plan = ${plan})
    or ${apiKeys.plan} = ${plan} and (${apiKeys.account} is null
      or ${apiKeys.account} not in (select name from accounts where plan is not null)))`;
}

/** The condition that a key's name or account contains a text, its id begins so, or it has such a token. */
function isFoundBy(text: string): SQL {
  const contains = (column: SQLWrapper) => sql`strpos(${folded(column)}, ${folded(text)}) > 0`;
  const parts = [contains(apiKeys.name), contains(apiKeys.account)];
  const digits = text.toLowerCase().replaceAll('-', '');
  // Fewer are no id.
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
  (
    db,
    filter: KeyFilter,
    { order, isDescending, condition, counts: today }: KeyList,
    limit: number,
    position: ListPosition | undefined,
  ) => {
    const { columns, place, valuesOf } = order;
    const sorted = [...columns, today ? sql`today.key_id` : apiKeys.id];
    const isAfter =
      position &&
      sql`(${sql.join(sorted, sql`, `)}) ${sql.raw(isDescending ? '<' : '>')}
        (${sql.join([...valuesOf(position.place), sql`${position.id}::uuid`], sql`, `)})`;
    const keys = db
      .select({ ...keyColumns, bannedUntil, place })
      .from(apiKeys)
      .innerJoin(lastUsed, eq(lastUsed.keyId, apiKeys.id))
      .leftJoin(accounts, eq(accounts.name, apiKeys.account))
      .$dynamic();
    if (today !== undefined) keys.innerJoin(today, sql`today.key_id = ${apiKeys.id}`);
    return keys
      .where(and(matches(filter), condition, isAfter))
      .orderBy(...sorted.map((column) => sql`${column} ${sql.raw(isDescending ? 'desc' : 'asc')}`))
      .limit(limit);
  },
);

const countFound = statement('count_found_keys', (db, filter: KeyFilter) =>
  countRows(
    db,
    db
      .select({ id: apiKeys.id })
      .from(apiKeys)
      .innerJoin(lastUsed, eq(lastUsed.keyId, apiKeys.id))
      .where(matches(filter)),
  ),
);

/** How many keys a filter finds: `maxCounted + 1` for more than that. */
export const countFoundKeys = (db: Database, filter: KeyFilter): Promise<number> =>
  countFound(db, filter).then(([row]) => row?.count ?? 0);

export async function searchKeys(
  db: Database,
  filter: KeyFilter,
  limit: number,
  position: ListPosition | undefined,
): Promise<ListPage<ListedKey>> {
  // One more than asked for tells whether there is a next page.
  const lists = listsOf(filter);
  const asked = { lists: lists.length, limit: limit + 1, position };
  const found = await readLists(asked, (list, most, from) =>
    selectKeys(db, filter, lists[list] as KeyList, most, from),
  );
  const { items, next } = pageOf(found, limit, ({ place, key }) => ({ place, id: key.id }));
  const keys = items.map(({ place: _, ...key }) => key);
  return { items: await completeKeys(db, keys), next };
}

/** Whether a position may be one of the list of keys that a filter finds. */
export const isKeyPosition =
  (filter: KeyFilter) =>
  ({ place, id }: ListPosition): boolean =>
    isKeyId(id) &&
    isPlaceIn(
      listsOf(filter).map(({ order }) => order.isPlace),
      place,
    );
