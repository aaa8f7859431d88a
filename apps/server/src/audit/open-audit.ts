import type { OpenDatabase } from '@animal-store/postgres';
import { unlessUnavailable } from '@animal-store/postgres';
import type { Clock } from '@animal-store/runtime';
import { repeat, waitAtMost } from '@animal-store/runtime';
import { createAuditLog } from './audit-log.ts';
import { type AuditSettings, defaultAuditSettings } from './audit-settings.ts';
import { createBanLog, deleteOverBans } from './ban-log.ts';

/**
 * Opens the audit log: from now on it records bans, and deletes entries that are old enough.
 *
 * @param options.forgetsBans Whether bans are in the memory of the process, and have ended with the last one.
 */
export function openAudit(
  options: Partial<AuditSettings> & {
    background: OpenDatabase['background'];
    operators: OpenDatabase['operators'];
    clock: Clock;
    forgetsBans: boolean;
    /** Called with the number of bans whose start will be missing in the log. */
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
    // A process that keeps bans in its memory has forgotten those that began before it.
    await deleteOverBans(background, forgetsBans ? openedAt : undefined);
    return log.deleteExpired();
  }

  const writing = repeat(bans.write, { clock, pauseMs: writeMs, onFailure });
  const deleting = repeat(deleteExpired, { clock, pauseMs: deleteMs, onFailure });

  async function lastWrite(): Promise<void> {
    await Promise.all([writing.stop(), deleting.stop()]);
    // Nobody refuses these keys when this process is gone.
    bans.endOwn();
    await bans.write();
  }

  return {
    /** Records the start of a ban, soon: the request that began it does not wait. */
    recordBan: bans.add,
    /** Ends the bans that this replica has decided alone, soon: Redis is back, and knows none of them. */
    endOwnBans: bans.endOwn,
    /** Deletes at once what is over. */
    deleteExpired: deleting.now,
    log,

    async close(): Promise<void> {
      await waitAtMost({ ms: closeTimeoutMs }, lastWrite().catch(onFailure), () => {});
      bans.giveUp();
    },
  };
}
