import { type Int64, type NewPet, type Pet, pageLimit } from '@animal-store/contract';
import type { Database, OpenDatabase } from '@animal-store/postgres';
import {
  DatabaseError,
  DatabaseUnavailableError,
  execution,
  given,
  preparedSql,
} from '@animal-store/postgres';
import { type SQL, sql } from 'drizzle-orm';
import { petIdSequence, pets } from '../schema/schema.ts';
import { createInsertBatcher } from './insert-batcher.ts';
import type { PagePosition, PetFilter } from './pet-cursor.ts';
import { createSharedReads } from './share-reads.ts';

export type PetRepository = ReturnType<typeof createPetRepository>;

/** One page of the list. */
export interface Page {
  /** The animals as JSON: an array. */
  readonly json: string;
  /** The id of the last animal, if there are more after it. */
  readonly lastId: number | undefined;
}

type StoredPet = Required<Pet>;

/**
 * Writes the JSON of an animal. Postgres does it: to decode the values and write it here took 14 µs more
 * for a page of 25, and Postgres 13 µs more. `row_to_json` instead of `format` takes Postgres 20 µs more.
 */
const petJson = sql`format(
  '{"id":%s,"name":%s,"categoryId":%s,"status":"%s"}', id, to_json(name), category_id, status
)`;

/** Inserts several pets. Their ids ascend in the order in which they are given. */
const createPets = preparedSql<{ id: string }>(
  'create_pets',
  sql`
    insert into ${pets} (id, name, category_id, status)
    select nextval(${petIdSequence}), name, category_id, status
    from ${given('n int, name text, category_id bigint, status pet_status')}
    order by n
    returning id, ${execution} as execution`,
);

/** Reads several animals: one row for each, also for one that does not exist. */
const findPets = preparedSql<{ n: number; json: string | null }>(
  'find_pets',
  sql`
    select n, (select ${petJson} from ${pets} where id = wanted_id) as json, ${execution} as execution
    from ${given('n int, wanted_id bigint')}`,
);

/** Reads the animals of several requests: one row for each, also if none of its animals exists. */
const listPetsByIds = preparedSql<{ n: number; json: string | null }>(
  'list_pets_by_ids',
  sql`
    select n, (
        select string_agg(${petJson}, ',' order by id)
        from ${pets}
        where id = any(wanted_ids)
          and (wanted_status is null or status = wanted_status)
          and (wanted_category is null or category_id = wanted_category)
      ) as json, ${execution} as execution
    from ${given('n int, wanted_ids bigint[], wanted_status pet_status, wanted_category bigint')}`,
);

const maxRows = sql.raw(String(pageLimit.max + 1));

/**
 * Selects the first animals in the order of an index.
 *
 * The fixed limit tells Postgres that pages are short. Without it, the plan for all possible values
 * expects a tenth of the table, and sorts it.
 */
const selectFirst = (where: SQL, order: SQL): SQL => sql`(
  select * from (
    select * from ${pets} where ${where} order by ${order} limit ${maxRows}
  ) as first order by ${order} limit size
)`;

/** Writes a page: a line of JSON for each animal. */
const toLines = (page: SQL): SQL =>
  sql`(select string_agg(${petJson}, E'\\n' order by id) from ${page} as page)`;

/** The page of a category: the first animals of those with each status. */
const ofCategory = sql`(
  select first.*
  from unnest(
      case when wanted is null then enum_range(null::pet_status) else array[wanted] end
    ) as each (wanted_one)
    cross join lateral ${selectFirst(
      sql`(category_id, status, id) > (category, wanted_one, after_id)
        and (category_id, status) <= (category, wanted_one)`,
      sql`category_id, status, id`,
    )} as first
  order by id limit size
)`;

/**
 * Reads several pages: one row for each.
 *
 * Each filter is written so that only the index made for it has the order. With `status = … order by id`,
 * Postgres prefers the primary key, and reads the whole table to find the animals of a rare status.
 */
const listPets = preparedSql<{ n: number; lines: string | null }>(
  'list_pets',
  sql`
    select n, case
        when category is not null then ${toLines(ofCategory)}
        when wanted is not null then ${toLines(
          selectFirst(sql`(status, id) > (wanted, after_id) and status <= wanted`, sql`status, id`),
        )}
        else ${toLines(selectFirst(sql`id > after_id`, sql`id`))}
      end as lines, ${execution} as execution
    from ${given('n int, wanted pet_status, category bigint, after_id bigint, size int')}`,
);

/** The catalogue in the database. Requests that arrive while statements are in flight share the next. */
export function createPetRepository({ db, reads }: Pick<OpenDatabase, 'db' | 'reads'>) {
  /** Reads on the connection for reads or, if that could not be opened, on one of the others. */
  const read = <Rows>(ask: (from: Database) => Promise<Rows>): Promise<Rows> =>
    ask(reads).catch((error) => {
      if (!(error instanceof DatabaseUnavailableError && error.isUnconnected)) throw error;
      return ask(db).catch((last) => {
        if (last instanceof DatabaseError) last.earlier = error;
        throw last;
      });
    });
  const list = createSharedReads(
    'list_pets',
    (requests: readonly ReturnType<typeof toPageRequest>[]) =>
      read((from) => listPets(from, requests)),
    ({ lines }, { size }) => toPage(lines, size - 1),
  );
  const listByIds = createSharedReads(
    'list_pets_by_ids',
    (requests: readonly ReturnType<typeof toRequestByIds>[]) =>
      read((from) => listPetsByIds(from, requests)),
    ({ json }) => `[${json ?? ''}]`,
  );
  const find = createSharedReads(
    'find_pet',
    (requests: readonly { readonly wanted_id: string }[]) =>
      read((from) => findPets(from, requests)),
    ({ json }) => json ?? undefined,
  );
  const create = createInsertBatcher<Omit<StoredPet, 'id'>, StoredPet>(async (wanted) => {
    const rows = await createPets(db, wanted.map(toPetRow));
    const ids = rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
    return wanted.map((pet, index) => ({ id: ids[index] as number, ...pet }));
  });

  return {
    /** Up to `limit` animals by ascending id, after a position in the list. */
    list: (position: PagePosition, limit: number): Promise<Page> =>
      list(toPageRequest(position, limit)),

    /** Given animals by ascending id, as a JSON array. */
    listByIds: (wanted: PetFilter & { readonly ids: readonly Int64[] }): Promise<string> =>
      listByIds(toRequestByIds(wanted)),

    /** One animal as JSON, if there is one with this id. */
    find: (id: Int64): Promise<string | undefined> => find({ wanted_id: String(id) }),

    create: ({ name, categoryId, status = 'available' }: NewPet): Promise<StoredPet> =>
      create({ name, categoryId, status }),
  };
}

function toPageRequest({ status, categoryId, afterId }: PagePosition, limit: number) {
  return {
    wanted: status ?? null,
    category: categoryId?.toString() ?? null,
    after_id: afterId,
    // One animal more than the limit, to know whether there is a next page.
    size: limit + 1,
  };
}

function toRequestByIds({
  ids,
  status,
  categoryId,
}: PetFilter & { readonly ids: readonly Int64[] }) {
  return {
    wanted_ids: ids.map(String),
    wanted_status: status ?? null,
    wanted_category: categoryId?.toString() ?? null,
  };
}

/** The columns of an animal that is inserted. */
export function toPetRow({ name, categoryId, status }: Omit<StoredPet, 'id'>) {
  return { name, category_id: String(categoryId), status };
}

/** @param lines one animal on each; `null` if there is none. */
function toPage(lines: string | null, limit: number): Page {
  const found = lines?.split('\n') ?? [];
  const last = found.length > limit ? (found[limit - 1] ?? '') : undefined;
  return {
    json: `[${found.slice(0, limit).join(',')}]`,
    lastId: last === undefined ? undefined : (JSON.parse(last) as Pet).id,
  };
}
