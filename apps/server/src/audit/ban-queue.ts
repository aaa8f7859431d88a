import { DatabaseUnavailableError } from '../database/database-error.ts';
import type { Ban } from './ban-log.ts';

/** How many bans wait for the database: about 2 MB. */
const maxWaiting = 10_000;

/** Keeps bans in memory until they are written, in their order. */
export function createBanQueue(options: {
  write: (ban: Ban) => Promise<void>;
  /** Called with the number of bans whose start will be missing in the log. */
  onLost: (bans: number) => void;
  onFailure: (failure: unknown) => void;
}) {
  const { write, onLost, onFailure } = options;
  const waiting: Ban[] = [];

  return {
    /** Adds a ban. If there is no room, it is lost. */
    add(ban: Ban): void {
      if (waiting.length < maxWaiting) waiting.push(ban);
      else onLost(1);
    },

    /**
     * Writes all bans. If the database is unavailable, those that are left wait for the next call.
     * Must not be called while it runs.
     */
    async write(): Promise<void> {
      for (let ban = waiting[0]; ban !== undefined; ban = waiting[0]) {
        try {
          await write(ban);
        } catch (error) {
          if (error instanceof DatabaseUnavailableError) throw error;
          // Trying again would fail again, and hold up the bans behind it.
          onFailure(error);
          onLost(1);
        }
        waiting.shift();
      }
    },

    /** Reports everything that was not written as lost. */
    giveUp(): void {
      if (waiting.length > 0) onLost(waiting.length);
      waiting.length = 0;
    },
  };
}
