import type { PlanName } from '@animal-store/contract';
import type { KeyState } from '@animal-store/contract/admin';
import { and, eq, type SQL, sql } from 'drizzle-orm';
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
import { type KeyRecord, keyColumns, keyState, withTokens } from './key-record.ts';

/** What narrows a list of keys. */
export interface KeyFilter {
  readonly plan?: PlanName | undefined;
  readonly state?: KeyState | undefined;
  /** What the name begins with, in capital or small letters. */
  readonly name?: string | undefined;
  readonly account?: string | undefined;
  /** The first characters of a token, as many as are shown. */
  readonly tokenPrefix?: string | undefined;
  readonly deprecatedWithinDays?: number | undefined;
  readonly unusedForDays?: number | undefined;
}

/** The keys that one filter finds, in its order. */
interface Source {
  /** A query of `id` and `place`. */
  readonly query: SQL;
  readonly order: 'ascending name' | 'descending time';
}

/** Chooses the filter whose index is read. The others are applied to what it finds. */
function sourceOf(filter: KeyFilter): Source {
  const { plan, state, name, account, tokenPrefix, deprecatedWithinDays, unusedForDays } = filter;
  const byTime = (query: SQL): Source => ({ query, order: 'descending time' });
  const ofPlan = plan === undefined ? sql`true` : sql`plan = ${plan}`;
  if (tokenPrefix !== undefined) {
    return byTime(sql`select id, created_at as place from api_keys
      where id = any (array(select key_id from api_tokens where prefix = ${tokenPrefix}))`);
  }
  if (account !== undefined) {
    return byTime(sql`select id, created_at as place from api_keys where account = ${account}`);
  }
  if (name !== undefined) {
    return {
      query: sql`select id, lower(name) collate "C" as place from api_keys
        where lower(name) collate "C" like lower(${likePattern(name)})`,
      order: 'ascending name',
    };
  }
  if (deprecatedWithinDays !== undefined) {
    return byTime(sql`select key_id as id, deprecated_at as place from usage.last_used
      where deprecated_at >= ${daysAgo(deprecatedWithinDays)}`);
  }
  if (unusedForDays !== undefined) {
    return byTime(sql`select key_id as id, coalesce(at, created_at) as place from usage.last_used
      where coalesce(at, created_at) < ${daysAgo(unusedForDays)}`);
  }
  switch (state) {
    case 'expired':
      return byTime(sql`select id, expires_at as place from api_keys
        where revoked_at is null and expires_at <= now() and ${ofPlan}`);
    case 'revoked':
      return byTime(sql`select id, created_at as place from api_keys
        where revoked_at is not null and ${ofPlan}`);
    case 'active':
    case undefined:
      return byTime(sql`select id, created_at as place from api_keys where ${ofPlan}`);
  }
}

/** The conditions of all filters, on a key. */
function matches(filter: KeyFilter): SQL | undefined {
  const { plan, state, name, account, tokenPrefix, deprecatedWithinDays, unusedForDays } = filter;
  return and(
    plan && eq(apiKeys.plan, plan),
    state && eq(keyState, state),
    name === undefined
      ? undefined
      : sql`lower(${apiKeys.name}) collate "C" like lower(${likePattern(name)})`,
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
function scanOf({ query, order }: Source, position: ListPosition | undefined): SQL {
  const isByName = order === 'ascending name';
  const direction = isByName ? sql`asc` : sql`desc`;
  const after =
    position === undefined
      ? sql`true`
      : isByName
        ? sql`(place, id) > (${position.place}, ${position.id}::uuid)`
        : sql`(place, id) < (${fromMicroseconds(position.place)}, ${position.id}::uuid)`;
  return sql`(select id, place from (${query}) source where ${after}
    order by place ${direction}, id ${direction} limit ${maxScanned}) scan`;
}

const selectKeys = statement(
  'list_keys',
  (db, filter: KeyFilter, limit: number, position: ListPosition | undefined) => {
    const source = sourceOf(filter);
    const direction = source.order === 'ascending name' ? sql`asc` : sql`desc`;
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
      .orderBy(sql`scan.place ${direction}, scan.id ${direction}`)
      .limit(limit);
  },
);

const findEndOfScan = statement(
  'end_of_key_scan',
  (db, filter: KeyFilter, position: ListPosition | undefined) => {
    const source = sourceOf(filter);
    return db
      .select({ place: placeOf(source), id: sql<string>`scan.id` })
      .from(scanOf(source, position))
      .offset(maxScanned - 1)
      .limit(1);
  },
);

/** Finds a page of keys. It may have fewer than `limit`, even none, while there is another page. */
export async function searchKeys(
  db: Database,
  filter: KeyFilter,
  limit: number,
  position: ListPosition | undefined,
): Promise<ListPage<KeyRecord>> {
  const { items, next } = await readPage(limit, {
    find: (most) => selectKeys(db, filter, most, position),
    positionOf: ({ place, id }) => ({ place, id }),
    findEnd: () => findEndOfScan(db, filter, position),
  });
  const keys = items.map(({ place: _, ...key }) => key);
  return { items: await withTokens(db, keys), next };
}

/** A place in the order of a source, as text. Times keep their microseconds, unlike in a `Date`. */
function placeOf({ order }: Source): SQL<string> {
  return order === 'ascending name' ? sql<string>`scan.place` : toMicroseconds(sql`scan.place`);
}

function daysAgo(days: number): SQL {
  return sql`now() - make_interval(days => ${days})`;
}

/** What `like` compares, for texts that begin with one. */
function likePattern(start: string): string {
  return `${start.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
