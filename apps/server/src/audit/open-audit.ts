import type { Database } from '../database/database.ts';
import { DatabaseUnavailableError } from '../database/database-error.ts';
import type { Clock } from '../shared/clock.ts';
import { repeat } from '../shared/repeat.ts';
import type { Timings } from '../shared/timings.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import { createAuditLog } from './audit-log.ts';
import { createBanLog } from './ban-log.ts';
import { createBanQueue } from './ban-queue.ts';

/**
 * Opens the audit log: from now on it records bans, and deletes entries that are old enough.
 *
 * @param options.forgetsBans Whether bans are in the memory of the process, and have ended with the last one.
 */
export function openAudit(options: {
  db: Database;
  clock: Clock;
  timings: Timings['audit'];
  forgetsBans: boolean;
  /** Called with the number of bans whose start will be missing in the log. */
  onLost: (bans: number) => void;
  report: (failure: unknown) => void;
}) {
  const { db, clock, timings, forgetsBans, onLost, report } = options;
  const { writeMs, endMs, deleteMs, closeTimeoutMs } = timings;
  const log = createAuditLog(db);
  const bans = createBanLog(db);

  // Metrics count failed statements. A line for each of them would fill the log during an outage.
  const onFailure = (failure: unknown) => {
    if (!(failure instanceof DatabaseUnavailableError)) report(failure);
  };
  const queue = createBanQueue({ write: bans.start, onLost, onFailure });
  /** Until it is recorded that earlier bans are forgotten. */
  let forgottenAt = forgetsBans ? new Date(clock.now()).toISOString() : undefined;

  async function endBans(): Promise<boolean> {
    const isMore = await bans.end(forgottenAt);
    if (!isMore) forgottenAt = undefined;
    return isMore;
  }

  const ending = repeat(endBans, { clock, pauseMs: endMs, onFailure });
  const repetitions = [
    repeat(queue.write, { clock, pauseMs: writeMs, onFailure }),
    ending,
    repeat(log.deleteExpired, { clock, pauseMs: deleteMs, onFailure }),
  ];

  async function lastWrite(): Promise<void> {
    await Promise.all(repetitions.map((repetition) => repetition.stop()));
    await queue.write();
  }

  return {
    /** Records the start of a ban, soon: the request that began it does not wait. */
    recordBan: queue.add,
    /** Records at once which bans are over. */
    endBans: ending.now,
    log,

    /** Writes what is waiting. */
    async close(): Promise<void> {
      await waitAtMost({ ms: closeTimeoutMs }, lastWrite().catch(onFailure), () => {});
      queue.giveUp();
    },
  };
}
