import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Listening, OpenDatabase } from '../database/database.ts';
import type { ReplicaCount } from '../database/replica-count.ts';
import { statement } from '../database/statement.ts';
import { ReplicaTraffic } from '../shared/replica-traffic.ts';
import type { Usage } from '../usage/open-usage.ts';
import type { KeyCache } from './key-cache.ts';

/** The Postgres channel (NOTIFY) on which replicas announce changes of keys. */
const keyChannel = 'animal_store_keys';

const KeyChange = z.object({
  keyId: z.string(),
  /**
   * Whether the key's ban was lifted. Replicas of versions that run side by side read this name, so
   * it stays as it is.
   */
  pardoned: z.boolean().optional(),
});

/**
 * The heartbeat of a replica, and the goodbye of one that stops. Both look like the change of a key
 * that nobody has: that is how a replica of the version before reads them, and it then forgets nothing.
 */
const Presence = z.object({
  keyId: z.literal(''),
  replica: z.string(),
  leaving: z.boolean(),
  traffic: ReplicaTraffic.optional(),
  /** Whether somebody asks this replica about usage, so that the others write what they have counted. */
  usageAsked: z.boolean().optional(),
});

/** What a replica of the version before sends as its heartbeat. */
const namelessHeartbeat = '';

const ChannelMessage = z.union([Presence, KeyChange]);

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
 * Follows the key changes of all replicas, and drops the cache entries that they outdate. The same
 * channel tells how many replicas there are.
 *
 * @param options.onUnban called with the key whose ban was lifted.
 * @returns stops following.
 */
export async function followKeyChanges(
  database: Pick<OpenDatabase, 'listen'>,
  options: {
    cache: Pick<KeyCache, 'forget' | 'clear'>;
    replicas: Pick<ReplicaCount, 'id' | 'hear' | 'forget'>;
    /** What this replica reports in its heartbeats. */
    traffic: () => ReplicaTraffic;
    usage: Pick<Usage, 'isAsked' | 'flush'>;
    onUnban: (keyId: string) => void;
  },
): Promise<() => Promise<void>> {
  const { cache, replicas, traffic, usage, onUnban } = options;
  const presence = (message: Omit<z.infer<typeof Presence>, 'keyId' | 'replica'>) =>
    JSON.stringify({ keyId: '', replica: replicas.id, ...message });
  let listening: Listening | undefined;
  listening = await database.listen(keyChannel, {
    heartbeat: () => presence({ leaving: false, traffic: traffic(), usageAsked: usage.isAsked() }),
    goodbye: presence({ leaving: true }),
    onMessage(payload) {
      if (payload === namelessHeartbeat) return;
      const { data: message } = ChannelMessage.safeParse(parse(payload));
      if (message === undefined) return cache.clear();
      if ('replica' in message) {
        if (message.leaving) replicas.forget(message.replica);
        // A new replica need not wait for the next regular heartbeat to know that this one is here.
        else if (replicas.hear(message.replica, message.traffic)) listening?.beat();
        if (message.usageAsked === true && message.replica !== replicas.id) void usage.flush();
        return;
      }
      cache.forget(message.keyId);
      if (message.pardoned === true) onUnban(message.keyId);
    },
    // Messages sent before this moment are lost.
    onListening: () => cache.clear(),
  });
  return listening.close;
}

/** Any client of the database can send anything: what is not JSON is not a change that we know. */
function parse(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
}
