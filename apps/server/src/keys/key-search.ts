import { isKeyId, type KeyFilter, type ListedKey } from '@animal-store/contract/admin';
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { type ListPage, type ListPosition, maxScanned, readPage } from '../database/list-page.ts';
import { apiKeys } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { keyOrders } from './key-order.ts';
import { completeKeys, keyColumns } from './key-record.ts';
import { bannedUntil, type KeySource, matches, sortedSourceOf, sourceOf } from './key-source.ts';

/** The first keys of a source, after a position. */
function scanOf(source: KeySource, position: ListPosition | undefined): SQL {
  const order = keyOrders[source.by];
  const columns = sql.raw([...order.columns, 'id'].join(', '));
  const after =
    position === undefined
      ? sql`true`
      : sql`(${columns}) ${sql.raw(source.isDescending ? '<' : '>')}
        (${order.valuesOf(position.place)}, ${position.id}::uuid)`;
  return sql`(select ${columns} from (${source.query}) source where ${after}
    order by ${orderOf(source, 'source')} limit ${maxScanned}) scan`;
}

function orderOf({ by, isDescending }: KeySource, table: 'source' | 'scan'): SQL {
  const direction = isDescending ? 'desc' : 'asc';
  const columns = [...keyOrders[by].columns, 'id'].map(
    (column) => `${table}.${column} ${direction}`,
  );
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
      .select({ ...keyColumns, bannedUntil, place: keyOrders[source.by].place })
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
      .select({ place: keyOrders[source.by].place, id: sql<string>`scan.id` })
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
  const by = (filter.sort?.replace('-', '') ?? sourceOf(filter).by) as KeySource['by'];
  return isKeyId(id) && keyOrders[by].isPlace(place);
}
