import type { Int64 } from '@animal-store/contract';
import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { pets } from '../database/schema.ts';
import { execution, preparedStatement, textArray } from '../database/statement.ts';
import type { PetFilter } from './pet-cursor.ts';
import { petJson } from './pet-json.ts';
import { createSharedReads } from './share-reads.ts';

/** A request for given animals. */
export interface WantedPets extends PetFilter {
  readonly ids: readonly Int64[];
}

/**
 * Reads the animals of several requests: one row for each, by its number `n`, also if none of its animals
 * exists. `wanted_ids` is an array as Postgres writes it, because the arrays differ in length.
 */
const listPetsByIds = preparedStatement('list_pets_by_ids', (db) => {
  const json = sql<string | null>`(
    select string_agg(${petJson}, ',' order by id)
    from ${pets}
    where id = any(wanted_ids::bigint[])
      and (wanted_status is null or status = wanted_status::pet_status)
      and (wanted_category is null or category_id = wanted_category::bigint))`;
  return db.select({ n: sql<number>`n::int`, json, execution }).from(sql`
    unnest(${textArray('ids')}, ${textArray('statuses')}, ${textArray('categoryIds')})
      with ordinality as request (wanted_ids, wanted_status, wanted_category, n)`);
});

/** Creates the function that reads given animals, as a JSON array by ascending id. */
export function createReaderByIds(db: Database): (wanted: WantedPets) => Promise<string> {
  interface Request {
    readonly filter: PetFilter;
    readonly ids: string;
    readonly name: string;
  }
  const read = createSharedReads({
    operation: 'list_pets_by_ids',
    read: (requests: readonly Request[]) => {
      const values = {
        ids: requests.map(({ ids }) => `{${ids}}`),
        statuses: requests.map(({ filter }) => filter.status ?? null),
        categoryIds: requests.map(({ filter }) => filter.categoryId?.toString() ?? null),
      };
      return listPetsByIds(db, values, requests.length);
    },
    toResult: ({ json }) => `[${json ?? ''}]`,
  });

  return ({ ids, ...filter }) => {
    const list = ids.join();
    return read({ filter, ids: list, name: `${filter.status} ${filter.categoryId} ${list}` });
  };
}
