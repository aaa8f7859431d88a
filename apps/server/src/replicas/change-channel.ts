import type { Database, Listening, OpenDatabase } from '@animal-store/postgres';
import { statement } from '@animal-store/postgres';
import { sql } from 'drizzle-orm';
import { z } from 'zod';

/**
 * The name of the Postgres channel for NOTIFY. The name comes from version 1.0.0, which announced
 * only changes of API keys.
 */
const channel = 'animal_store_keys';

/**
 * A message between replicas. It announces a changed API key, a changed account (`account`) or a
 * heartbeat of a replica (`replica`). In the last two cases, `keyId` is empty. Earlier versions
 * then treat the message as the change of an API key that does not exist, and ignore it.
 */
const Message = z.object({
  keyId: z.string(),
  account: z.string().optional(),
  replica: z.string().optional(),
  leaving: z.boolean().optional(),
});

/** The heartbeat that replicas of version 1.0.0 send: an empty message. */
const namelessHeartbeat = '';

/** The functions that are called for messages from replicas, one for each kind of message. */
export interface ReplicaSubscribers {
  keyChanged(keyId: string): void;
  accountChanged(account: string): void;
  /**
   * Handles a heartbeat of any replica, including this one.
   *
   * @returns whether the replica is new. This replica then sends a heartbeat immediately, so that
   *   the new replica learns about it without waiting for the next interval.
   */
  replicaSeen(replica: string): boolean;
  replicaLeft(replica: string): void;
  /**
   * Handles the case that messages were lost or not understood. Any API key may have changed
   * without this replica learning about it.
   */
  messagesMissed(): void;
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
    stopMessage: heartbeat(true),
    onMessage(payload) {
      if (payload === namelessHeartbeat) return;
      const { data: message } = Message.safeParse(parse(payload));
      if (message === undefined) return subscribers.messagesMissed();
      const { keyId, account, replica, leaving } = message;
      if (account !== undefined) subscribers.accountChanged(account);
      else if (replica === undefined) subscribers.keyChanged(keyId);
      else if (leaving) subscribers.replicaLeft(replica);
      else if (subscribers.replicaSeen(replica)) listening?.beat();
    },
    // This replica has missed the messages that were sent before it began to listen. So its cached
    // API keys may be outdated.
    onListening: () => subscribers.messagesMissed(),
  });
  return listening;
}

/**
 * Announces the change of an API key to all replicas of the service. Postgres sends the message
 * when the transaction commits, and never after a rollback.
 */
export const announceKeyChange = statement('announce_key_change', (tx, keyId: string) =>
  notify(tx, { keyId }),
);

/** Announces the change of an account to all replicas when the transaction commits. */
export const announceAccountChange = statement('announce_account_change', (tx, account: string) =>
  notify(tx, { keyId: '', account }),
);

function notify(tx: Database, message: z.infer<typeof Message>) {
  return tx.execute(sql`select pg_notify(${channel}, ${JSON.stringify(message)})`);
}

/**
 * Parses the JSON of a message. Any client of the database can send any text, so the function
 * returns a message of an unknown kind for invalid JSON.
 */
function parse(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
}
