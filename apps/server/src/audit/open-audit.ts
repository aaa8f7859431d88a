import type { OpenDatabase } from '@animal-store/postgres';
import { unlessUnavailable } from '@animal-store/postgres';
import type { Clock } from '@animal-store/runtime';
import { repeat, waitAtMost } from '@animal-store/runtime';
import { createAuditLog } from './audit-log.ts';
import { type AuditSettings, defaultAuditSettings } from './audit-settings.ts';
import { createBanLog, deleteOverBans } from './ban-log.ts';

/**
 * Opens the audit log. It records bans and deletes expired entries in the background.
 *
 * @param options.forgetsBans whether bans are only kept in the memory of the process and are lost
 * when it ends.
 */
export function openAudit(
  options: Partial<AuditSettings> & {
    background: OpenDatabase['background'];
    operators: OpenDatabase['operators'];
    clock: Clock;
    forgetsBans: boolean;
    /**
     * A function that is called with the number of bans that could not be written to the audit log.
     */
    onLost: (bans: number) => void;
    report: (failure: unknown) => void;
  },
) {
  const { background, operators, clock, forgetsBans, onLost } = options;
  const { writeMs, deleteMs, closeTimeoutMs } = { ...defaultAuditSettings, ...options };
  const onFailure = unlessUnavailable(options.report);
  const log = createAuditLog(operators);
  const bans = createBanLog(background, { onLost, onFailure });
  const openedAt = new Date(clock.now()).toISOString();

  async function deleteExpired(): Promise<boolean> {
    // A process that keeps bans only in memory does not know the bans that started before the
    // process did.
    await deleteOverBans(background, forgetsBans ? openedAt : undefined);
    return log.deleteExpired();
  }

  const writing = repeat(bans.write, { clock, pauseMs: writeMs, onFailure });
  const deleting = repeat(deleteExpired, { clock, pauseMs: deleteMs, onFailure });

  async function lastWrite(): Promise<void> {
    await Promise.all([writing.stop(), deleting.stop()]);
    // When this process ends, no process enforces the bans that it imposed without Redis.
    bans.endOwn();
    await bans.write();
  }

  return {
    /**
     * Records the start of a ban in the background, so that the request that caused the ban does
     * not wait.
     */
    recordBan: bans.add,
    /**
     * Ends the bans that this replica imposed without Redis, in the background. It is called when
     * Redis is available again, because Redis does not know these bans.
     */
    endOwnBans: bans.endOwn,
    /** Deletes ended bans and expired entries immediately. */
    deleteExpired: deleting.now,
    log,

    async close(): Promise<void> {
      await waitAtMost({ ms: closeTimeoutMs }, lastWrite().catch(onFailure), () => {});
      bans.giveUp();
    },
  };
}
