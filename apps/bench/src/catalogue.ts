import { createHash } from 'node:crypto';
import pg from 'pg';
import { createToken, hashToken, tokenPrefix } from '../../server/src/keys/token.ts';

export const statuses = ['available', 'pending', 'sold'] as const;

export type Pet = {
  id: number;
  name: string;
  categoryId: number;
  status: (typeof statuses)[number];
};

/** The animal with an id, as {@link fillCatalogue} stores it. */
export function petAt(id: number): Pet {
  const status = statuses[id % statuses.length] as Pet['status'];
  return { id, name: `Animal ${id}`, categoryId: id % 10, status };
}

/** Returns the expected list. */
export function listOf(limit: number, status: Pet['status'] | undefined): Pet[] {
  const pets: Pet[] = [];
  for (let id = 1; pets.length < limit; id++) {
    const pet = petAt(id);
    if (status === undefined || pet.status === status) pets.push(pet);
  }
  return pets;
}

/** The tokens of the benchmark's keys. */
export type Tokens = {
  /** Keys whose quota is never used up. */
  readonly wide: readonly string[];
  /** A key whose quota is one request a day. */
  readonly narrow: string;
};

/** A limit that no run reaches: 100,000 requests a second for a quarter of an hour. */
export const wideLimit = 100_000_000;

/** How many keys one statement inserts. */
const batchSize = 20_000;

/** How many keys send requests. The others only make the table large. */
const maxTokens = 10_000;

/** Fills a migrated database with the given number of animals and keys. */
export async function fillCatalogue(
  databaseUrl: string,
  { pets, keys }: { pets: number; keys: number },
): Promise<Tokens> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query(
      `insert into pets (name, category_id, status)
       select 'Animal ' || id, id % 10, ($2::pet_status[])[1 + id % 3]
       from generate_series(1, $1::bigint) as id`,
      [pets, statuses],
    );
    const wide = Array.from({ length: Math.min(keys, maxTokens) }, createToken);
    for (let from = 0; from < keys; from += batchSize) {
      const count = Math.min(batchSize, keys - from);
      const hashes = Array.from({ length: count }, (_, index) => {
        const token = wide[from + index];
        // Nobody has the token of this key.
        return token === undefined
          ? createHash('sha256')
              .update(`${from + index}`)
              .digest('hex')
          : hashToken(token);
      });
      await insertKeys(client, hashes, wideLimit);
    }
    const narrow = createToken();
    await insertKeys(client, [hashToken(narrow)], 1);
    await client.query('vacuum analyze');
    return { wide, narrow };
  } finally {
    await client.end();
  }
}

async function insertKeys(client: pg.Client, hashes: string[], perDay: number): Promise<void> {
  await client.query(
    `with made as (
       insert into api_keys (plan, per_minute, per_day)
       select 'enterprise', $2, $3 from unnest($1::text[]) returning id
     )
     insert into api_tokens (hash, key_id, prefix)
     select hash, id, $4
     from (select id, row_number() over () as number from made) as keys
     join unnest($1::text[]) with ordinality as hashes (hash, number) using (number)`,
    [hashes, wideLimit, perDay, tokenPrefix(createToken())],
  );
}
