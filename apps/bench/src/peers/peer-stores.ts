import { hash } from 'node:crypto';
import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import pg from 'pg';

// biome-ignore lint/style/noProcessEnv: a peer is a separate program, and this is its configuration
const { PORT, DATABASE_URL = '', REDIS_URL = '', PER_MINUTE, PER_DAY } = process.env;

export const port = Number(PORT);

/** The two quota windows that the compared servers count. */
export const windows = [
  { name: 'minute', limit: Number(PER_MINUTE), seconds: 60 },
  { name: 'day', limit: Number(PER_DAY), seconds: 86_400 },
] as const;

// The library pg returns a bigint as a string. All values here are small, so they are converted to
// numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/**
 * The pool of connections to Postgres. The service has two pools for requests, and this pool has as
 * many connections as both pools of the service.
 */
export const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 4 });

export const redis = new Redis(REDIS_URL);

// The compared servers cache API keys, like the service does. Without this cache, each request
// would cost one more SQL statement.
const keyIds = new LRUCache<string, string>({
  max: 100_000,
  ttl: 60_000,
  async fetchMethod(tokenHash) {
    const { rows } = await pool.query('select key_id from api_tokens where hash = $1', [tokenHash]);
    return rows[0]?.key_id;
  },
});

/**
 * Finds the id of the API key in an `Authorization` header; `undefined` if the key is missing or
 * unknown.
 */
export async function findKeyId(authorization: string | undefined): Promise<string | undefined> {
  if (!authorization?.startsWith('Bearer ')) return undefined;
  const tokenHash = hash('sha256', authorization.slice('Bearer '.length));
  return keyIds.get(tokenHash) ?? (await keyIds.fetch(tokenHash));
}
