import { type Clock, systemClock } from '@animal-store/runtime';
import {
  type DatabaseError,
  DatabaseUnavailableError,
  readOnly,
  toDatabaseError,
} from './database-error.ts';
import type { FoundPostgres } from './find-postgres.ts';
import type { Address } from './postgres-socket.ts';

/**
 * Creates the monitor, which decides to which host new connections go, and whether connections may
 * be opened at all.
 *
 * After a failure, the monitor searches the hosts of the URL for a Postgres that accepts writes.
 * Only one search runs at a time, and new connections wait for its result. If a search finds no
 * Postgres, it is repeated, and new connections fail immediately in the meantime. If a search finds
 * only a read-only Postgres, connections use it, and the search for a writable one continues.
 *
 * @param options.find {@link findPostgres}
 * @param options.onReplaced called when connections to the old Postgres must be closed, because
 *   they would stay read-only. This is the case when a writable Postgres is found after a read-only
 *   one. It is also the case when a search finds only a read-only Postgres although the URL
 *   requires a writable one.
 * @param options.pauseMs the mean pause between two searches. Each pause is random, from half to
 *   one and a half times this value. Otherwise, all replicas of the service would query the hosts
 *   at the same time.
 */
export function createPostgresMonitor(options: {
  first: Address;
  find: () => Promise<FoundPostgres>;
  onReplaced: () => void;
  pauseMs: number;
  /** The clock of the pauses. @default {@link systemClock} */
  clock?: Clock;
}) {
  const { find, onReplaced, pauseMs, clock = systemClock } = options;
  /** The functions that end the current pauses. */
  const pauses = new Set<() => void>();
  let isClosed = false;
  let address = options.first;
  let isReadOnly = false;
  /**
   * The reason why no connection can be opened, or `undefined` if the last search for a Postgres
   * server has found one.
   */
  let fault: DatabaseError | undefined;
  /** Whether a statement or a connection has failed since the last search began. */
  let isSuspected = false;
  let isSearching = false;
  let firstResult: Promise<void> | undefined;

  const isWanted = () => !isClosed && (fault !== undefined || isReadOnly || isSuspected);

  async function pause(): Promise<void> {
    if (isClosed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    pauses.add(resolve);
    const timer = clock.after(pauseMs * (0.5 + Math.random()), resolve).unref();
    await promise;
    clock.cancel(timer);
    pauses.delete(resolve);
  }

  async function searchOnce(): Promise<void> {
    isSuspected = false;
    try {
      const found = await find();
      fault = undefined;
      address = found.address;
      if (isReadOnly && found.isWritable) onReplaced();
      isReadOnly = !found.isWritable;
    } catch (error) {
      fault = toDatabaseError(error);
      if (fault.code === readOnly) onReplaced();
    }
  }

  async function search(): Promise<void> {
    isSearching = true;
    firstResult = searchOnce();
    await firstResult;
    firstResult = undefined;
    do {
      // A pause follows every search, even a successful one. Many statements fail at the same
      // moment, and without the pause, each failure could start another search.
      await pause();
      if (isWanted()) await searchOnce();
    } while (isWanted());
    isSearching = false;
  }

  return {
    /**
     * Returns the address of the Postgres to connect to. While the first search after a failure is
     * running, the function waits for the result.
     *
     * @throws {DatabaseError} if the last search found no Postgres, or if the monitor is closed.
     */
    async target(): Promise<Address> {
      await firstResult;
      if (isClosed) throw new DatabaseUnavailableError('CONNECTION_ENDED');
      if (fault !== undefined) throw fault;
      return address;
    },

    /** Returns the address of the Postgres that was found last. */
    address: () => address,

    /** Waits for a pause. Then waits until a Postgres is found. */
    async whenFound(): Promise<void> {
      do await pause();
      while (fault !== undefined && !isClosed);
    },

    /**
     * Sets the address of a writable Postgres that other code has found. The address is ignored
     * while a search is running, because the search will have a newer result.
     */
    use(found: Address): void {
      if (!isSearching) address = found;
    },

    /** Starts a search for Postgres after a statement or a connection has failed. */
    suspect(error: DatabaseError): void {
      if (error.code === readOnly) isReadOnly = true;
      isSuspected = true;
      if (isClosed) return;
      if (!isSearching) void search();
    },

    /** Ends the search for a Postgres. No connection can be opened after this call. */
    close(): void {
      isClosed = true;
      for (const end of pauses) end();
    },
  };
}
