import { repeat, systemClock } from '@animal-store/runtime';
import type { Sql } from 'postgres';
import type { Wait } from './database.ts';
import type { DatabaseLimits } from './database-settings.ts';

/**
 * Reports repeatedly whether a session waits for locks of other sessions, until the watcher is
 * stopped. A migration that waits too long for a lock tries again after a pause. So the end of a
 * wait is reported only when no wait was found for the length of two pauses.
 *
 * @param client a connection with another session.
 */
export function watchLockWaits(
  client: Sql,
  options: Pick<DatabaseLimits, 'tableLockTimeoutMs' | 'migrationPauseMs'> & {
    pid: number;
    onWaiting: (wait: Wait | undefined) => void;
  },
) {
  const { tableLockTimeoutMs, migrationPauseMs, pid, onWaiting } = options;
  const keepMs = 2 * migrationPauseMs;
  // The watcher checks four times during the longest wait for a lock, so that it notices every long
  // wait.
  const pauseMs = tableLockTimeoutMs / 4;
  const { elapsed } = systemClock;
  let seenAt = Number.NEGATIVE_INFINITY;

  async function look(): Promise<void> {
    const wait = await findLockWait(client, pid);
    if (wait !== undefined) seenAt = elapsed();
    if (wait !== undefined || elapsed() - seenAt > keepMs) onWaiting(wait);
  }
  return repeat(look, { clock: systemClock, pauseMs, onFailure() {} });
}

/**
 * Returns what a session waits for, and which session blocks it. If several sessions block it, the
 * function returns the one with the oldest transaction.
 */
async function findLockWait(client: Sql, pid: number): Promise<Wait | undefined> {
  const [row] = await client<
    { table: string | null; pid: number; session: string; seconds: number | null }[]
  >`
    select relation::regclass::text as "table", blocker.pid,
      concat_ws(', ', coalesce(nullif(application_name, ''), backend_type), state) as session,
      floor(extract(epoch from clock_timestamp() - xact_start))::int as seconds
    from unnest(pg_blocking_pids(${pid})) as blocker (pid)
    left join pg_stat_activity using (pid)
    left join pg_locks as waiting on waiting.pid = ${pid} and not granted
    -- Transactions that began less than 100 ms ago are not reported. One of them is the transaction
    -- of this statement, because the creation of an index online waits for it.
    where (clock_timestamp() - xact_start < interval '100 ms') is not true
    order by xact_start limit 1`;
  if (row === undefined) return undefined;
  const what = row.table === null ? 'the end of a transaction' : `a lock of ${row.table}`;
  const who = row.pid === 0 ? 'a prepared transaction' : `process ${row.pid} (${row.session})`;
  const id = `The migration waits for ${what}. The wait is caused by ${who}`;
  // The age of the transaction is unknown if the role lacks `pg_read_all_stats`, because such a
  // role cannot see the transactions of other users.
  const age = row.seconds === null ? '' : `, whose transaction began ${row.seconds} s ago`;
  return { id, reason: `${id}${age}.` };
}
