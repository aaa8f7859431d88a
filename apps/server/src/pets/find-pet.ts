import type { Int64 } from '@animal-store/contract';
import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { pets } from '../database/schema.ts';
import { execution, preparedStatement, textArray } from '../database/statement.ts';
import { petJson } from './pet-json.ts';
import { createSharedReads } from './share-reads.ts';

/** Reads several animals: one row for each, by its number `n`, also for one that does not exist. */
const findPets = preparedStatement('find_pets', (db) => {
  const json = sql<string | null>`(select ${petJson} from ${pets} where id = wanted_id::bigint)`;
  return db
    .select({ n: sql<number>`n::int`, json, execution })
    .from(sql`unnest(${textArray('ids')}) with ordinality as request (wanted_id, n)`);
});

/** Creates the function that reads one animal, as JSON. */
export function createFinder(db: Database): (id: Int64) => Promise<string | undefined> {
  const find = createSharedReads({
    operation: 'find_pet',
    read: (wanted: readonly { readonly name: string }[]) =>
      findPets(db, { ids: wanted.map(({ name }) => name) }, wanted.length),
    toResult: ({ json }) => json ?? undefined,
  });
  return (id) => find({ name: String(id) });
}
