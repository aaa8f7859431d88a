import type { KeyFilter } from '@animal-store/contract/admin';
import { and, count, eq, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { apiKeys, openBans } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import type { keyOrders } from './key-order.ts';
import { keyState } from './key-record.ts';
import { idsFoundBy, isFoundBy, isIndexed } from './key-search-text.ts';

/**
 * How many keys are sorted for a page, if the index of the filter has another order than the list.
 * What finds more keys is common enough to be found among the first keys of the list.
 */
const maxSorted = 10_000;

/** The keys that one filter finds, in an order that has an index. */
export interface KeySource {
  /** A query of `id` and the columns of `by`. */
  readonly query: SQL;
  readonly by: keyof typeof keyOrders;
  readonly isDescending: boolean;
  /** The part of the query that no index has in this order: it is found whole and sorted for each page. */
  readonly sorted?: SQL;
}

/** All keys, in each order that a question can ask for. */
const allBy = {
  name: sql`select id, coalesce(lower(name) collate "C", '') as place from api_keys`,
  created: sql`select id, created_at as place from api_keys`,
  lastUse: sql`select key_id as id, coalesce(at, created_at) as place from usage.last_used`,
  plan: sql`select id, plan, created_at as place from api_keys`,
} as const;

/** Chooses the filter whose index is read. The others are applied to what it finds. */
export function sourceOf(filter: KeyFilter): KeySource {
  const { plan, state, name, account, tokenPrefix, deprecatedWithinDays, unusedForDays } = filter;
  const latest = (by: KeySource['by'], query: SQL): KeySource => ({
    query,
    by,
    isDescending: true,
  });
  const ofPlan = plan === undefined ? sql`true` : sql`plan = ${plan}`;
  if (filter.banned !== undefined) {
    return latest(
      'created',
      sql`${allBy.created}
        where id = any (array(select key_id from open_bans where until > now()))`,
    );
  }
  if (tokenPrefix !== undefined) {
    return latest(
      'created',
      sql`${allBy.created}
        where id = any (array(select key_id from api_tokens where prefix = ${tokenPrefix}))`,
    );
  }
  if (account !== undefined) {
    return latest('created', sql`${allBy.created} where account = ${account}`);
  }
  if (filter.search !== undefined) {
    if (!isIndexed(filter.search)) return latest('created', allBy.created);
    const found = idsFoundBy(filter.search, maxSorted + 1);
    const query = sql`${allBy.created} where id = any (array(${found}))`;
    return { ...latest('created', query), sorted: query };
  }
  if (name !== undefined) {
    const query = sql`${allBy.name} where ${isNamed(name)}`;
    return { query, by: 'name', isDescending: false };
  }
  if (deprecatedWithinDays !== undefined) {
    return latest(
      'deprecatedCall',
      sql`select key_id as id, deprecated_at as place from usage.last_used
        where deprecated_at >= ${daysAgo(deprecatedWithinDays)}`,
    );
  }
  if (unusedForDays !== undefined) {
    return latest(
      'lastUse',
      sql`${allBy.lastUse} where coalesce(at, created_at) < ${daysAgo(unusedForDays)}`,
    );
  }
  switch (state) {
    case 'expired':
      return latest(
        'expiry',
        sql`select id, expires_at as place from api_keys
          where revoked_at is null and expires_at <= now() and ${ofPlan}`,
      );
    case 'revoked':
      return latest('created', sql`${allBy.created} where revoked_at is not null and ${ofPlan}`);
    case 'suspended': {
      const own = sql`${allBy.created} where suspended_at is not null and ${ofPlan}`;
      // Lateral, and not pulled up because of the offset: one index scan for each of these accounts.
      const withAccount = sql`select with_account.* from accounts cross join lateral (
        ${allBy.created} where account = accounts.name and suspended_at is null and ${ofPlan} offset 0
      ) with_account where accounts.suspended_at is not null`;
      const query = sql`${own} union all ${withAccount}`;
      return { ...latest('created', query), sorted: withAccount };
    }
    case 'active':
    case undefined:
      return latest(
        'created',
        plan === undefined ? allBy.created : sql`${allBy.created} where ${ofPlan}`,
      );
  }
}

const countUpTo = statement('count_up_to', (db, query: SQL, max: number) =>
  db.select({ keys: count() }).from(sql`(select from (${query}) source limit ${max}) counted`),
);

/** How many of the newest keys tell whether a text is common, and how many of them contain it then. */
const probed = { keys: 2_000, common: 100 };

const countNewest = statement('count_newest', (db, search: string) =>
  db.select({ keys: count() }).from(
    sql`(select from (select * from api_keys order by created_at desc, id desc limit ${probed.keys}) api_keys
        where ${isFoundBy(search)}) found`,
  ),
);

/** Whether a query finds few enough keys to sort them for a page. */
async function canSort(db: Database, query: SQL): Promise<boolean> {
  const [found] = await countUpTo(db, query, maxSorted + 1);
  return found !== undefined && found.keys <= maxSorted;
}

/** Whether many of the newest keys contain a text. */
async function isCommon(db: Database, search: string): Promise<boolean> {
  const [among] = await countNewest(db, search);
  return among === undefined || among.keys >= probed.common;
}

/**
 * The source of a list. What many keys have, such as a text or a suspended account, is looked for among
 * the newest keys: to find all of them and to sort them takes half a second with a million keys.
 */
async function boundedSourceOf(db: Database, filter: KeyFilter): Promise<KeySource> {
  const source = sourceOf(filter);
  if (source.sorted === undefined) return source;
  const isFew =
    !(filter.search !== undefined && (await isCommon(db, filter.search))) &&
    (await canSort(db, source.sorted));
  return isFew ? source : { ...source, query: allBy.created };
}

/**
 * The source of a list that is sorted as the question asks.
 *
 * If the index of the filter has another order, the few keys that it finds are sorted. If it finds
 * many, the index of the order is read, and the filter is applied to what it finds.
 */
export async function sortedSourceOf(db: Database, filter: KeyFilter): Promise<KeySource> {
  const source = await boundedSourceOf(db, filter);
  const [, minus, by] = /^(-?)(.+)$/.exec(filter.sort ?? '') ?? [];
  if (by === undefined) return source;
  const isDescending = minus === '-';
  if (by === source.by) return { ...source, isDescending };
  const all = { query: allBy[by as keyof typeof allBy], by: by as KeySource['by'], isDescending };
  if (source.query === allBy.created) return all;
  if (!(await canSort(db, source.query))) return all;
  const isFound = sql`id = any (array(select id from (${source.query}) found))`;
  return { ...all, query: sql`select * from (${all.query}) sorted where ${isFound}` };
}

/** When the ban of a key ends. A key may have two: one that began while the end of another was on its way. */
export const bannedUntil = sql<string | null>`(select max(until) from open_bans
  where key_id = ${apiKeys.id} and until > now())`.mapWith(openBans.until);

/** The conditions of all filters, on a key. */
export function matches(filter: KeyFilter): SQL | undefined {
  const { plan, state, name, account, tokenPrefix, deprecatedWithinDays, unusedForDays } = filter;
  return and(
    plan && eq(apiKeys.plan, plan),
    state && eq(keyState, state),
    filter.banned && sql`${bannedUntil} is not null`,
    name === undefined ? undefined : isNamed(name),
    filter.search === undefined ? undefined : isFoundBy(filter.search),
    account === undefined ? undefined : eq(apiKeys.account, account),
    tokenPrefix === undefined
      ? undefined
      : sql`exists (select from api_tokens where key_id = ${apiKeys.id} and prefix = ${tokenPrefix})`,
    // Not `exists`: Postgres would read all keys that were unused for so long, to look up each key among them.
    deprecatedWithinDays === undefined
      ? undefined
      : sql`(select deprecated_at from usage.last_used where key_id = ${apiKeys.id})
        >= ${daysAgo(deprecatedWithinDays)}`,
    unusedForDays === undefined
      ? undefined
      : sql`(select coalesce(at, created_at) from usage.last_used where key_id = ${apiKeys.id})
        < ${daysAgo(unusedForDays)}`,
  );
}

/** The condition that a name begins so. Keys without a name are in its index as well. */
function isNamed(start: string): SQL {
  return sql`coalesce(lower(${apiKeys.name}) collate "C", '') like lower(${likePattern(start)})`;
}

function daysAgo(days: number): SQL {
  return sql`now() - make_interval(days => ${days})`;
}

/** What `like` compares, for texts that begin with one. */
function likePattern(start: string): string {
  return `${start.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
