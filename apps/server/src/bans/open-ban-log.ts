import type { OpenDatabase } from '@animal-store/postgres';
import { unlessUnavailable } from '@animal-store/postgres';
import type { Clock } from '@animal-store/runtime';
import { repeat, waitAtMost } from '@animal-store/runtime';
import { createBanLog, deleteEndedBans, readDatabaseTime } from './ban-log.ts';
import { type BanLogSettings, defaultBanLogSettings } from './ban-log-settings.ts';

/**
 * Opens the log of bans, which writes new bans and deletes ended bans in the background.
 *
 * @param options.forgetsBans whether the quotas keep bans only in the memory of the process, so
 * that the bans are lost when the process ends.
 */
export function openBanLog(
  options: Partial<BanLogSettings> & {
    background: OpenDatabase['background'];
    clock: Clock;
    forgetsBans: boolean;
    /**
     * A function that is called with the number of bans whose start will be missing in the audit
     * log.
     */
    onLost: (bans: number) => void;
    report: (failure: unknown) => void;
  },
) {
  const { background, clock, forgetsBans, onLost } = options;
  const { writeMs, deleteMs, closeTimeoutMs } = { ...defaultBanLogSettings, ...options };
  const onFailure = unlessUnavailable(options.report);
  const bans = createBanLog(background, { clock, onLost, onFailure });
  const openedAtMs = clock.elapsed();
  /** The time at which this process opened the log, by the clock of the database. */
  let openedAt: string | undefined;

  async function deleteEnded(): Promise<void> {
    // If the quotas keep bans in memory, the previous process has lost its bans. So the bans that
    // started before this process are deleted, too.
    if (forgetsBans && openedAt === undefined) {
      const databaseTimeMs = await readDatabaseTime(background);
      const openForMs = clock.elapsed() - openedAtMs;
      openedAt = new Date(databaseTimeMs - openForMs).toISOString();
    }
    await deleteEndedBans(background, openedAt);
  }

  const writing = repeat(bans.write, { clock, pauseMs: writeMs, onFailure });
  const deleting = repeat(deleteEnded, { clock, pauseMs: deleteMs, onFailure });

  async function lastWrite(): Promise<void> {
    await Promise.all([writing.stop(), deleting.stop()]);
    // Only this process enforces the bans that it imposed without Redis. So these bans end when the
    // process exits.
    bans.endReplicaBans();
    await bans.write();
  }

  return {
    /**
     * Records the start of a ban in the background, so that the request that caused the ban does
     * not wait.
     */
    recordBan: bans.add,
    /**
     * Ends the bans that this replica of the service imposed without Redis, in the background. The
     * function is called when Redis is available again, because Redis does not know these bans.
     */
    endReplicaBans: bans.endReplicaBans,
    /** Deletes ended bans immediately. */
    deleteEnded: deleting.now,

    async close(): Promise<void> {
      await waitAtMost({ ms: closeTimeoutMs }, lastWrite().catch(onFailure), () => {});
      bans.giveUp();
    },
  };
}
