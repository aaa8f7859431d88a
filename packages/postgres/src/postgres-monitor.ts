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
 * Decides to which host connections go, and whether any may be opened.
 *
 * After a failure, one search at a time finds out whether Postgres is there and accepts writes. New
 * connections wait for its result. If it finds nothing, it is repeated, and new connections fail at
 * once, because they would only find the same. If it finds a read-only Postgres, connections use
 * it, and the search for a writable one continues.
 *
 * @param options.find {@link findPostgres}
 * @param options.onReplaced called when a writable Postgres is found after a read-only one, or when
 *   the only Postgres is read-only and must not be used. Connections to the old one must be closed,
 *   because they would stay read-only forever.
 * @param options.pauseMs the pause between two searches. It varies by half, so that replicas do not
 *   search at the same time.
 */
export function createPostgresMonitor(options: {
  first: Address;
  find: () => Promise<FoundPostgres>;
  onReplaced: () => void;
  pauseMs: number;
  /** @default {@link systemClock} */
  clock?: Clock;
}) {
  const { find, onReplaced, pauseMs, clock = systemClock } = options;
  /** Cancels the pauses. */
  const pauses = new Set<() => void>();
  let isClosed = false;
  let address = options.first;
  let isReadOnly = false;
  /** Why no connection is possible; `undefined` if none has failed. */
  let fault: DatabaseError | undefined;
  /** Whether something failed after the last search had begun. */
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
      // There is a pause after a success, too: many failures come at once, and each would start a
      // search.
      await pause();
      if (isWanted()) await searchOnce();
    } while (isWanted());
    isSearching = false;
  }

  return {
    /**
     * Returns the address of the Postgres to connect to. Waits for a search that has just begun.
     *
     * @throws {DatabaseError} if no Postgres was found.
     */
    async target(): Promise<Address> {
      await firstResult;
      if (isClosed) throw new DatabaseUnavailableError('CONNECTION_ENDED');
      if (fault !== undefined) throw fault;
      return address;
    },

    /** The address of the Postgres that was found last. */
    address: () => address,

    /** Waits for a pause, and then until a Postgres is found. */
    async whenFound(): Promise<void> {
      do await pause();
      while (fault !== undefined && !isClosed);
    },

    /**
     * Accepts a writable Postgres that other code has found. A running search has the newer result.
     */
    use(found: Address): void {
      if (!isSearching) address = found;
    },

    /** Looks for Postgres, because a statement or a connection failed. */
    suspect(error: DatabaseError): void {
      if (error.code === readOnly) isReadOnly = true;
      isSuspected = true;
      if (isClosed) return;
      if (!isSearching) void search();
    },

    /** Ends the search. No connection is opened after this call. */
    close(): void {
      isClosed = true;
      for (const end of pauses) end();
    },
  };
}
