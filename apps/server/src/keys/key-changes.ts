import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { OpenDatabase } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { KeyCache } from './key-cache.ts';

/** The Postgres channel (NOTIFY) on which a replica that changes a key tells the others. */
const keyChannel = 'animal_store_keys';

const KeyChange = z.object({
  keyId: z.string(),
  /**
   * Whether the key's ban was lifted. Replicas of versions that run side by side read this name, so
   * it stays as it is.
   */
  pardoned: z.boolean().optional(),
});

/** A message about a changed key. */
type KeyChange = z.infer<typeof KeyChange>;

/**
 * Tells all replicas that a key has changed. In a transaction, Postgres sends the message at the
 * commit, and not at all after a rollback.
 */
export const announceKeyChange = statement('announce_key_change', (db, change: KeyChange) =>
  db.execute(sql`select pg_notify(${keyChannel}, ${JSON.stringify(change)})`),
);

/**
 * Follows the key changes of all replicas, and drops the cache entries that they outdate.
 *
 * @param onUnban called with the key whose ban was lifted.
 * @returns stops following.
 */
export function followKeyChanges(
  database: Pick<OpenDatabase, 'listen'>,
  cache: Pick<KeyCache, 'forget' | 'clear'>,
  onUnban: (keyId: string) => void,
): Promise<() => Promise<void>> {
  return database.listen(keyChannel, {
    onMessage(payload) {
      const change = KeyChange.safeParse(parse(payload));
      if (!change.success) return cache.clear();
      cache.forget(change.data.keyId);
      if (change.data.pardoned === true) onUnban(change.data.keyId);
    },
    // Messages sent before this moment are lost.
    onListening: () => cache.clear(),
  });
}

/** Any client of the database can send anything: what is not JSON is not a change that we know. */
function parse(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
}
