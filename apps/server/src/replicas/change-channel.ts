import type { Database, Listening, OpenDatabase } from '@animal-store/postgres';
import { statement } from '@animal-store/postgres';
import { sql } from 'drizzle-orm';
import { z } from 'zod';

/** The Postgres channel (NOTIFY). Version 1.0.0 had nothing but keys to talk about. */
const channel = 'animal_store_keys';

/**
 * A key has changed; or, without an id of a key, an account, or a replica is there or about to stop. Versions before
 * read these as the change of a key that no key is.
 */
const Message = z.object({
  keyId: z.string(),
  account: z.string().optional(),
  replica: z.string().optional(),
  leaving: z.boolean().optional(),
});

/** The heartbeat of version 1.0.0, which has no name. */
const namelessHeartbeat = '';

/** Who follows what the replicas tell each other: one for each subject. */
export interface ReplicaSubscribers {
  keyChanged(keyId: string): void;
  accountChanged(account: string): void;
  /**
   * A replica has sent a heartbeat, this one included.
   *
   * @returns whether it is new, and so should not wait for this replica's next heartbeat.
   */
  seen(replica: string): boolean;
  left(replica: string): void;
  /** Messages were missed, or one was not understood: any key may have changed. */
  missed(): void;
}

/** Listens to what the replicas of this service tell each other. */
export async function openChangeChannel(
  database: Pick<OpenDatabase, 'listen'>,
  options: { id: string; subscribers: ReplicaSubscribers },
): Promise<Pick<Listening, 'close'>> {
  const { id, subscribers } = options;
  const heartbeat = (leaving: boolean) => JSON.stringify({ keyId: '', replica: id, leaving });

  let listening: Listening | undefined;
  listening = await database.listen(channel, {
    heartbeat: () => heartbeat(false),
    goodbye: heartbeat(true),
    onMessage(payload) {
      if (payload === namelessHeartbeat) return;
      const { data: message } = Message.safeParse(parse(payload));
      if (message === undefined) return subscribers.missed();
      const { keyId, account, replica, leaving } = message;
      if (account !== undefined) subscribers.accountChanged(account);
      else if (replica === undefined) subscribers.keyChanged(keyId);
      else if (leaving) subscribers.left(replica);
      else if (subscribers.seen(replica)) listening?.beat();
    },
    // Messages sent before this moment are lost.
    onListening: () => subscribers.missed(),
  });
  return listening;
}

/**
 * Tells all replicas that a key has changed. In a transaction, Postgres sends the message at the
 * commit, and not at all after a rollback.
 */
export const announceKeyChange = statement('announce_key_change', (tx, keyId: string) =>
  notify(tx, { keyId }),
);

/** Tells all replicas, in the same way, that an account has changed. */
export const announceAccountChange = statement('announce_account_change', (tx, account: string) =>
  notify(tx, { keyId: '', account }),
);

function notify(tx: Database, message: z.infer<typeof Message>) {
  return tx.execute(sql`select pg_notify(${channel}, ${JSON.stringify(message)})`);
}

/** Any client of the database can send anything: what is not JSON is not a message that we know. */
function parse(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
}
