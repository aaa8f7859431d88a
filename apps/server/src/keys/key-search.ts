import { planNames } from '@animal-store/contract';
import type { Key, KeyFilter } from '@animal-store/contract/admin';
import { and, count, eq, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import {
  fromMicroseconds,
  type ListPage,
  type ListPosition,
  maxScanned,
  readPage,
  toMicroseconds,
} from '../database/list-page.ts';
import { apiKeys } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { completeKeys, keyColumns, keyState } from './key-record.ts';

/**
 * How many keys are sorted for a page, if the index of the filter has another order than the list.
 * What finds more keys is common enough to be found among the first keys of the list.
 */
const maxSorted = 10_000;

/** The keys that one filter finds, in an order that has an index. */
interface Source {
  /** A query of `id` and the columns of `by`. */
  readonly query: SQL;
  readonly by: keyof typeof columnsOf;
  readonly isDescending: boolean;
}

/** What lists are sorted by, besides the id. */
const columnsOf = {
  name: ['place'],
  created: ['place'],
  lastUse: ['place'],
  plan: ['plan', 'place'],
  expiry: ['place'],
  deprecatedCall: ['place'],
} as const;

/** All keys, in each order that a question can ask for. */
const allBy = {
  name: sql`select id, coalesce(lower(name) collate "C", '') as place from api_keys`,
  created: sql`select id, created_at as place from api_keys`,
  lastUse: sql`select key_id as id, coalesce(at, created_at) as place from usage.last_used`,
  plan: sql`select id, plan, created_at as place from api_keys`,
} as const;

/** Chooses the filter whose index is read. The others are applied to what it finds. */
function sourceOf(filter: KeyFilter): Source {
  const { plan, state, name, account, tokenPrefix, deprecatedWithinDays, unusedForDays } = filter;
  const latest = (by: Source['by'], query: SQL): Source => ({ query, by, isDescending: true });
  const ofPlan = plan === undefined ? sql`true` : sql`plan = ${plan}`;
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
    case 'active':
    case undefined:
      return latest(
        'created',
        plan === undefined ? allBy.created : sql`${allBy.created} where ${ofPlan}`,
      );
  }
}

const countUpTo = statement('count_up_to', (db, { query }: Source, max: number) =>
  db.select({ keys: count() }).from(sql`(select from (${query}) source limit ${max}) counted`),
);

/**
 * The source of a list that is sorted as the question asks.
 *
 * If the index of the filter has another order, the few keys that it finds are sorted. If it finds
 * many, the index of the order is read, and the filter is applied to what it finds.
 */
async function sortedSourceOf(db: Database, filter: KeyFilter): Promise<Source> {
  const source = sourceOf(filter);
  const [, minus, by] = /^(-?)(.+)$/.exec(filter.sort ?? '') ?? [];
  if (by === undefined) return source;
  const isDescending = minus === '-';
  if (by === source.by) return { ...source, isDescending };
  const all = { query: allBy[by as keyof typeof allBy], by: by as Source['by'], isDescending };
  if (source.query === allBy.created) return all;
  const [found] = await countUpTo(db, source, maxSorted + 1);
  if (found === undefined || found.keys > maxSorted) return all;
  const isFound = sql`id = any (array(select id from (${source.query}) found))`;
  return { ...all, query: sql`select * from (${all.query}) sorted where ${isFound}` };
}

/** The conditions of all filters, on a key. */
function matches(filter: KeyFilter): SQL | undefined {
  const { plan, state, name, account, tokenPrefix, deprecatedWithinDays, unusedForDays } = filter;
  return and(
    plan && eq(apiKeys.plan, plan),
    state && eq(keyState, state),
    name === undefined ? undefined : isNamed(name),
    account === undefined ? undefined : eq(apiKeys.account, account),
    tokenPrefix === undefined
      ? undefined
      : sql`exists (select from api_tokens where key_id = ${apiKeys.id} and prefix = ${tokenPrefix})`,
    deprecatedWithinDays === undefined
      ? undefined
      : sql`exists (select from usage.last_used where key_id = ${apiKeys.id}
        and deprecated_at >= ${daysAgo(deprecatedWithinDays)})`,
    unusedForDays === undefined
      ? undefined
      : sql`exists (select from usage.last_used where key_id = ${apiKeys.id}
        and coalesce(at, created_at) < ${daysAgo(unusedForDays)})`,
  );
}

/** The first keys of a source, after a position. */
function scanOf(source: Source, position: ListPosition | undefined): SQL {
  const columns = sql.raw([...columnsOf[source.by], 'id'].join(', '));
  const after =
    position === undefined
      ? sql`true`
      : sql`(${columns}) ${sql.raw(source.isDescending ? '<' : '>')} (${valuesOf(source, position)})`;
  return sql`(select ${columns} from (${source.query}) source where ${after}
    order by ${orderOf(source, 'source')} limit ${maxScanned}) scan`;
}

function orderOf({ by, isDescending }: Source, table: 'source' | 'scan'): SQL {
  const direction = isDescending ? 'desc' : 'asc';
  const columns = [...columnsOf[by], 'id'].map((column) => `${table}.${column} ${direction}`);
  return sql.raw(columns.join(', '));
}

const selectKeys = statement(
  'list_keys',
  (db, filter: KeyFilter, source: Source, limit: number, position: ListPosition | undefined) => {
    // Lateral, and with a limit: Postgres then looks up one key after the other until the page is full.
    // It knows too little about the filters to choose that by itself, and would read the whole table.
    const key = db
      .select()
      .from(apiKeys)
      .where(sql`${apiKeys.id} = scan.id`)
      .limit(1)
      .as('api_keys');
    return db
      .select({ ...keyColumns, place: placeOf(source) })
      .from(scanOf(source, position))
      .crossJoinLateral(key)
      .where(matches(filter))
      .orderBy(orderOf(source, 'scan'))
      .limit(limit);
  },
);

const findEndOfScan = statement(
  'end_of_key_scan',
  (db, source: Source, position: ListPosition | undefined) =>
    db
      .select({ place: placeOf(source), id: sql<string>`scan.id` })
      .from(scanOf(source, position))
      .offset(maxScanned - 1)
      .limit(1),
);

/** Finds a page of keys. It may have fewer than `limit`, even none, while there is another page. */
export async function searchKeys(
  db: Database,
  filter: KeyFilter,
  limit: number,
  position: ListPosition | undefined,
): Promise<ListPage<Key>> {
  const source = await sortedSourceOf(db, filter);
  const { items, next } = await readPage(limit, {
    find: (most) => selectKeys(db, filter, source, most, position),
    positionOf: ({ place, id }) => ({ place, id }),
    findEnd: () => findEndOfScan(db, source, position),
  });
  const keys = items.map(({ place: _, ...key }) => key);
  return { items: await completeKeys(db, keys), next };
}

/** A place in the order of a source, as text. Times keep their microseconds, unlike in a `Date`. */
function placeOf({ by }: Source): SQL<string> {
  const microseconds = toMicroseconds(sql`scan.place`);
  switch (by) {
    case 'name':
      return sql<string>`scan.place`;
    case 'plan':
      return sql<string>`scan.plan || ' ' || ${microseconds}`;
    default:
      return microseconds;
  }
}

/** The values that a position has in the columns of a source. */
function valuesOf({ by }: Source, { place, id }: ListPosition): SQL {
  switch (by) {
    case 'name':
      return sql`${place}, ${id}::uuid`;
    case 'plan': {
      const [given, time = ''] = place.split(' ');
      const plan = planNames.find((name) => name === given) ?? planNames[0];
      return sql`${plan}::plan_name, ${fromMicroseconds(time)}, ${id}::uuid`;
    }
    default:
      return sql`${fromMicroseconds(place)}, ${id}::uuid`;
  }
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
