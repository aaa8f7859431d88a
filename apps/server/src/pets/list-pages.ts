import { type Pet, pageLimit } from '@animal-store/contract';
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { pets } from '../database/schema.ts';
import { execution, preparedStatement, textArray } from '../database/statement.ts';
import type { PagePosition } from './pet-cursor.ts';
import { petJson } from './pet-json.ts';
import { createSharedReads } from './share-reads.ts';

/** One page of the list. */
export interface Page {
  /** The animals as JSON: an array. */
  readonly json: string;
  /** The id of the last animal, if there are more after it. */
  readonly lastId: number | undefined;
}

const maxRows = sql.raw(String(pageLimit.max + 1));

/**
 * Selects the first animals in the order of an index.
 *
 * The fixed limit tells Postgres that pages are short. Without it, the plan for all possible values
 * expects a tenth of the table, and sorts it.
 */
function selectFirst({ where, order }: { where: SQL; order: SQL }): SQL {
  return sql`(
    select * from (
      select * from ${pets} where ${where} order by ${order} limit ${maxRows}
    ) as first order by ${order} limit size::int
  )`;
}

/** Writes a page: a line of JSON for each animal. */
const toLines = (page: SQL): SQL =>
  sql`(select string_agg(${petJson}, E'\\n' order by id) from ${page} as page)`;

/**
 * Reads several pages: one row for each, by its number `n`.
 *
 * Each filter is written so that only the index made for it has the order. With `status = … order by id`,
 * Postgres prefers the primary key, and reads the whole table to find the animals of a rare status.
 */
const listPets = preparedStatement('list_pets', (db) => {
  const all = selectFirst({ where: sql`id > after_id::bigint`, order: sql`id` });
  const ofStatus = selectFirst({
    where: sql`(status, id) > (wanted::pet_status, after_id::bigint) and status <= wanted::pet_status`,
    order: sql`status, id`,
  });
  const ofCategoryAndStatus = selectFirst({
    where: sql`(category_id, status, id) > (category::bigint, wanted_one, after_id::bigint)
      and (category_id, status) <= (category::bigint, wanted_one)`,
    order: sql`category_id, status, id`,
  });
  const ofCategory = sql`(
    select first.*
    from unnest(
        case when wanted is null then enum_range(null::pet_status) else array[wanted::pet_status] end
      ) as each (wanted_one)
      cross join lateral ${ofCategoryAndStatus} as first
    order by id limit size::int
  )`;
  const page = sql<string | null>`
    case when category is not null then ${toLines(ofCategory)}
      when wanted is not null then ${toLines(ofStatus)}
      else ${toLines(all)} end`;
  return db.select({ n: sql<number>`n::int`, page, execution }).from(sql`
    unnest(${textArray('statuses')}, ${textArray('categoryIds')}, ${textArray('afterIds')},
      ${textArray('limits')})
      with ordinality as request (wanted, category, after_id, size, n)`);
});

/** Creates the function that reads up to `limit` animals by ascending id, after a position in the list. */
export function createPageReader(
  db: Database,
): (position: PagePosition, limit: number) => Promise<Page> {
  interface Request {
    readonly position: PagePosition;
    readonly limit: number;
    readonly name: string;
  }
  const read = createSharedReads({
    operation: 'list_pets',
    read: (requests: readonly Request[]) => {
      const values = {
        statuses: requests.map(({ position }) => position.status ?? null),
        categoryIds: requests.map(({ position }) => position.categoryId?.toString() ?? null),
        afterIds: requests.map(({ position }) => String(position.afterId)),
        // One animal more than the limit, to know whether there is a next page.
        limits: requests.map(({ limit }) => String(limit + 1)),
      };
      return listPets(db, values, requests.length);
    },
    toResult: ({ page }, { limit }) => toPage(page, limit),
  });

  return (position, limit) => {
    const { status, categoryId, afterId } = position;
    return read({ position, limit, name: `${status} ${categoryId} ${afterId} ${limit}` });
  };
}

/** @param lines one animal on each; `null` if there is none. */
function toPage(lines: string | null, limit: number): Page {
  const pets = lines?.split('\n') ?? [];
  const last = pets.length > limit ? (pets[limit - 1] ?? '') : undefined;
  return {
    json: `[${pets.slice(0, limit).join(',')}]`,
    lastId: last === undefined ? undefined : (JSON.parse(last) as Pet).id,
  };
}
