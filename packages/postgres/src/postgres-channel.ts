import { systemClock, waitAtMost } from '@animal-store/runtime';
import type postgres from 'postgres';
import type { ChannelListener, Listening } from './database.ts';
import type { DatabaseLimits } from './database-settings.ts';

/** Listens to a channel, and sends heartbeats on it. */
export async function listenTo(
  client: postgres.Sql,
  channel: string,
  {
    heartbeat,
    goodbye,
    onMessage,
    onListening,
    heartbeatMs,
    closeSeconds,
  }: ChannelListener & Pick<DatabaseLimits, 'heartbeatMs' | 'closeSeconds'>,
): Promise<Listening> {
  let sending: Promise<unknown> | undefined;
  // Heartbeats are sent through the pool, because postgres.js keeps the listening connection to
  // itself. They use the same channel, because with a second one, each failed reconnect would queue
  // one more LISTEN. They are sent one at a time, so that a Postgres that continues after a hang
  // does not send several at once.
  const beat = () => {
    sending ??= client
      .notify(channel, heartbeat())
      .catch(() => {})
      .finally(() => {
        sending = undefined;
      });
  };
  const listening = Promise.withResolvers<void>();
  const first = client.listen(channel, onMessage, () => {
    listening.resolve();
    onListening();
    beat();
  });
  // If this fails, the driver listens again each time its connection closes. A replica that starts
  // during a failover must not end because of it.
  first.catch(() => {});
  await listening.promise;
  const beating = systemClock.every(heartbeatMs, beat);
  async function leave(): Promise<void> {
    // A heartbeat after the message of leaving would cancel that message.
    await sending;
    const unlisten = async () => (await first).unlisten();
    await Promise.allSettled([client.notify(channel, goodbye), unlisten()]);
  }
  return {
    beat,
    close() {
      systemClock.cancel(beating);
      // These are statements, and would wait for a Postgres that is down.
      return waitAtMost({ ms: closeSeconds * 1_000 }, leave(), () => {});
    },
  };
}
