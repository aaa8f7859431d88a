import { planNames } from '@animal-store/contract';
import { isKeyId, type KeyFilter, type ListedKey } from '@animal-store/contract/admin';
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import {
  fromMicroseconds,
  isInteger,
  type ListPage,
  type ListPosition,
  maxScanned,
  readPage,
  toMicroseconds,
} from '../database/list-page.ts';
import { apiKeys } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { completeKeys, keyColumns } from './key-record.ts';
import {
  bannedUntil,
  columnsOf,
  type KeySource,
  matches,
  sortedSourceOf,
  sourceOf,
} from './key-source.ts';

/** The first keys of a source, after a position. */
function scanOf(source: KeySource, position: ListPosition | undefined): SQL {
  const columns = sql.raw([...columnsOf[source.by], 'id'].join(', '));
  const after =
    position === undefined
      ? sql`true`
      : sql`(${columns}) ${sql.raw(source.isDescending ? '<' : '>')} (${valuesOf(source, position)})`;
  return sql`(select ${columns} from (${source.query}) source where ${after}
    order by ${orderOf(source, 'source')} limit ${maxScanned}) scan`;
}

function orderOf({ by, isDescending }: KeySource, table: 'source' | 'scan'): SQL {
  const direction = isDescending ? 'desc' : 'asc';
  const columns = [...columnsOf[by], 'id'].map((column) => `${table}.${column} ${direction}`);
  return sql.raw(columns.join(', '));
}

const selectKeys = statement(
  'list_keys',
  (db, filter: KeyFilter, source: KeySource, limit: number, position: ListPosition | undefined) => {
    // Lateral, and with a limit: Postgres then looks up one key after the other until the page is full.
    // It knows too little about the filters to choose that by itself, and would read the whole table.
    const key = db
      .select()
      .from(apiKeys)
      .where(sql`${apiKeys.id} = scan.id`)
      .limit(1)
      .as('api_keys');
    return db
      .select({ ...keyColumns, bannedUntil, place: placeOf(source) })
      .from(scanOf(source, position))
      .crossJoinLateral(key)
      .where(matches(filter))
      .orderBy(orderOf(source, 'scan'))
      .limit(limit);
  },
);

const findEndOfScan = statement(
  'end_of_key_scan',
  (db, source: KeySource, position: ListPosition | undefined) =>
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
): Promise<ListPage<ListedKey>> {
  const source = await sortedSourceOf(db, filter);
  const { items, next } = await readPage(limit, {
    find: (most) => selectKeys(db, filter, source, most, position),
    positionOf: ({ place, id }) => ({ place, id }),
    findEnd: () => findEndOfScan(db, source, position),
  });
  const keys = items.map(({ place: _, ...key }) => key);
  return { items: await completeKeys(db, keys), next };
}

/** Whether a position may be one of the list of keys that a filter finds. */
export function isKeyPosition(filter: KeyFilter, { place, id }: ListPosition): boolean {
  const by = filter.sort?.replace('-', '') ?? sourceOf(filter).by;
  return isKeyId(id) && isPlace(place, by as KeySource['by']);
}

function isPlace(place: string, by: KeySource['by']): boolean {
  switch (by) {
    case 'name':
      // Postgres has no text with a NUL.
      return !place.includes('\0');
    case 'plan': {
      const [plan, time = '', ...rest] = place.split(' ');
      return planNames.some((name) => name === plan) && isInteger(time) && rest.length === 0;
    }
    default:
      return isInteger(place);
  }
}

/** A place in the order of a source, as text. Times keep their microseconds, unlike in a `Date`. */
function placeOf({ by }: KeySource): SQL<string> {
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
function valuesOf({ by }: KeySource, { place, id }: ListPosition): SQL {
  switch (by) {
    case 'name':
      return sql`${place}, ${id}::uuid`;
    case 'plan': {
      const [plan, time = ''] = place.split(' ');
      return sql`${plan}::plan_name, ${fromMicroseconds(time)}, ${id}::uuid`;
    }
    default:
      return sql`${fromMicroseconds(place)}, ${id}::uuid`;
  }
}
