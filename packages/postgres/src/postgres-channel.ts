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
    stopMessage,
    onMessage,
    onListening,
    heartbeatMs,
    closeSeconds,
  }: ChannelListener & Pick<DatabaseLimits, 'heartbeatMs' | 'closeSeconds'>,
): Promise<Listening> {
  let sending: Promise<unknown> | undefined;
  // postgres.js uses the listening connection for nothing else, so heartbeats are sent through the
  // pool. They are sent on the given channel, because with a second channel, postgres.js would
  // queue one more LISTEN after each failed reconnect.
  //
  // Only one heartbeat is sent at a time. Otherwise, heartbeats would collect while Postgres hangs,
  // and Postgres would send all of them when it continues.
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
  // If the first LISTEN fails, the driver tries again each time its connection closes. A replica of
  // the service that starts during a failover must not stop because of this failure.
  first.catch(() => {});
  await listening.promise;
  const beating = systemClock.every(heartbeatMs, beat);
  async function leave(): Promise<void> {
    // A heartbeat that is already being sent must end before the message about the stop is sent. If
    // it arrived after that message, this replica would look alive again.
    await sending;
    const unlisten = async () => (await first).unlisten();
    await Promise.allSettled([client.notify(channel, stopMessage), unlisten()]);
  }
  return {
    beat,
    close() {
      systemClock.cancel(beating);
      // NOTIFY and UNLISTEN would wait forever for a Postgres that is down, so there is a
      // timeout.
      return waitAtMost({ ms: closeSeconds * 1_000 }, leave(), () => {});
    },
  };
}
