import type { Database } from '../database/database.ts';
import { DatabaseUnavailableError } from '../database/database-error.ts';
import { repeat } from '../shared/repeat.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import { createAuditLog } from './audit-log.ts';
import { createBanLog } from './ban-log.ts';
import { createBanQueue } from './ban-queue.ts';

/** How often starts of bans are written. */
const writeMs = 1_000;

/** How often ends of bans are looked for. */
const endMs = 5_000;

/** How often old entries are looked for. */
const deleteMs = 3_600_000;

/** How long a stop waits for the last bans. A database that is up takes milliseconds. */
const closeTimeoutMs = 3_000;

/** Opens the audit log: from now on it records bans, and deletes entries that are old enough. */
export function openAudit(options: {
  db: Database;
  /** Called with the number of bans whose start will be missing in the log. */
  onLost: (bans: number) => void;
  report: (failure: unknown) => void;
}) {
  const { db, onLost, report } = options;
  const log = createAuditLog(db);
  const bans = createBanLog(db);

  // Metrics count failed statements. A line for each of them would fill the log during an outage.
  const onFailure = (failure: unknown) => {
    if (!(failure instanceof DatabaseUnavailableError)) report(failure);
  };
  const queue = createBanQueue({ write: bans.start, onLost, onFailure });
  const repetitions = [
    repeat(queue.write, writeMs, onFailure),
    repeat(bans.endExpired, endMs, onFailure),
    repeat(log.deleteExpired, deleteMs, onFailure),
  ];

  async function lastWrite(): Promise<void> {
    await Promise.all(repetitions.map((repetition) => repetition.stop()));
    await queue.write();
  }

  return {
    /** Records the start of a ban, soon: the request that began it does not wait. */
    recordBan: queue.add,
    log,

    /** Writes what is waiting. */
    async close(): Promise<void> {
      await waitAtMost(closeTimeoutMs, lastWrite().catch(onFailure), () => {});
      queue.giveUp();
    },
  };
}
