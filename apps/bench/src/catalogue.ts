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

/** Returns the animal that {@link fillCatalogue} stores under an id. */
export function petAt(id: number): Pet {
  const status = statuses[id % statuses.length] as Pet['status'];
  return { id, name: `Animal ${id}`, categoryId: id % 10, status };
}

/** Returns the animals that the service must return for a list call with these parameters. */
export function listOf(limit: number, status: Pet['status'] | undefined): Pet[] {
  const pets: Pet[] = [];
  for (let id = 1; pets.length < limit; id++) {
    const pet = petAt(id);
    if (status === undefined || pet.status === status) pets.push(pet);
  }
  return pets;
}

/** The tokens of the API keys that the benchmark uses. */
export type Tokens = {
  /** Tokens of API keys whose quota is never used up. */
  readonly wide: readonly string[];
  /** The token of an API key that may send only one request a day. */
  readonly narrow: string;
};

/**
 * A rate limit that no benchmark run reaches. Callers would have to send 100,000 requests a second
 * for about a quarter of an hour.
 */
export const wideLimit = 100_000_000;

/** The number of API keys that one SQL statement inserts. */
const batchSize = 20_000;

/**
 * The largest number of API keys that send requests. All further API keys are only stored, so that
 * the table is as large as in production.
 */
const maxTokens = 10_000;

/** Fills a migrated database with the given number of animals and API keys. */
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
        // API keys that send no requests need no token. Their column for the hash of the token
        // contains the hash of a number.
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
