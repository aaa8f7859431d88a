import { z } from 'zod';
import type { OpenDatabase } from '../database/database.ts';
import type { KeyCache } from './key-cache.ts';

/** Where a replica that changes a key tells the others (Postgres NOTIFY). */
export const keyChannel = 'animal_store_keys';

const KeyChange = z.object({
  keyId: z.string(),
  /** Whether the key's ban was lifted. */
  pardoned: z.boolean().optional(),
});

/** What is told of a changed key. */
export type KeyChange = z.infer<typeof KeyChange>;

/**
 * Follows changes of keys, whichever replica makes them, and forgets what is outdated.
 *
 * @param onPardon is told of keys whose ban was lifted.
 * @returns stops following.
 */
export function followKeyChanges(
  database: Pick<OpenDatabase, 'listen'>,
  cache: Pick<KeyCache, 'forget' | 'clear'>,
  onPardon: (keyId: string) => void,
): Promise<() => Promise<void>> {
  return database.listen(keyChannel, {
    onMessage(payload) {
      const change = KeyChange.safeParse(parse(payload));
      if (!change.success) return cache.clear();
      cache.forget(change.data.keyId);
      if (change.data.pardoned === true) onPardon(change.data.keyId);
    },
    // What was said while nobody listened is lost.
    onListening: () => cache.clear(),
  });
}

/** Anybody may notify of anything; what is no JSON is no change that we know of. */
function parse(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
}
