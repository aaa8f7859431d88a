import type { Database, Listening, OpenDatabase } from '@animal-store/postgres';
import { statement } from '@animal-store/postgres';
import { sql } from 'drizzle-orm';
import { z } from 'zod';

/**
 * The Postgres channel (NOTIFY). Its name is from version 1.0.0, which announced only changes of
 * keys.
 */
const channel = 'animal_store_keys';

/**
 * A message between replicas. It announces a changed key, a changed account (`account`) or a
 * replica's heartbeat (`replica`). For the last two, `keyId` is empty, so earlier versions read
 * them as the change of a key that does not exist.
 */
const Message = z.object({
  keyId: z.string(),
  account: z.string().optional(),
  replica: z.string().optional(),
  leaving: z.boolean().optional(),
});

/** The heartbeat of version 1.0.0, which does not name the replica. */
const namelessHeartbeat = '';

/** The functions that are called for messages of replicas, one for each kind of message. */
export interface ReplicaSubscribers {
  keyChanged(keyId: string): void;
  accountChanged(account: string): void;
  /**
   * Called for each heartbeat, including this replica's own.
   *
   * @returns whether the replica is new. A new replica gets a heartbeat at once, so that it need
   * not wait for this replica's next one.
   */
  seen(replica: string): boolean;
  left(replica: string): void;
  /** Called if messages were missed or not understood: any key may have changed. */
  missed(): void;
}

/** Opens the channel through which the replicas of this service send messages to each other. */
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
    // Messages that were sent before this moment are lost.
    onListening: () => subscribers.missed(),
  });
  return listening;
}

/**
 * Tells all replicas that a key has changed. Postgres sends the message when the transaction
 * commits, and never after a rollback.
 */
export const announceKeyChange = statement('announce_key_change', (tx, keyId: string) =>
  notify(tx, { keyId }),
);

/** Tells all replicas that an account has changed, also at the commit. */
export const announceAccountChange = statement('announce_account_change', (tx, account: string) =>
  notify(tx, { keyId: '', account }),
);

function notify(tx: Database, message: z.infer<typeof Message>) {
  return tx.execute(sql`select pg_notify(${channel}, ${JSON.stringify(message)})`);
}

/**
 * Parses a message. Any client of the database can send any text, so invalid JSON becomes an
 * unknown message.
 */
function parse(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
}
