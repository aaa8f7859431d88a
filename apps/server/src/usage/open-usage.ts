import type { Database } from '../database/database.ts';
import { DatabaseUnavailableError } from '../database/database-error.ts';
import type { Clock } from '../shared/clock.ts';
import { repeat } from '../shared/repeat.ts';
import type { Timings } from '../shared/timings.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import { createUsageCollector } from './usage-collector.ts';
import { createUsageFlusher } from './usage-flusher.ts';
import type { UsageRetention } from './usage-partitions.ts';
import { createUsageQueries, type UsageQueries } from './usage-queries.ts';
import { createUsageRepository } from './usage-repository.ts';

/** How many keys and minutes are held while the database is unavailable: about 30 MB. */
const maxKeyMinutes = 100_000;

/** Opens the usage ledger: it writes and rolls up counts from now on. */
export function openUsage(options: {
  db: Database;
  clock: Clock;
  /** How often counts are written. */
  flushMs: number;
  /** How often written counts are rolled up. */
  rollUpMs: number;
  /** How long the ledger keeps what it shows. */
  keptMs: Pick<UsageRetention, 'minutes' | 'hours' | 'days'>;
  timings: Timings['usage'];
  /** Called with the number of requests that will be missing in the ledger. */
  onLost: (requests: number) => void;
  report: (failure: unknown) => void;
}) {
  const { db, clock, flushMs, rollUpMs, keptMs, onLost, report } = options;
  const { closeTimeoutMs, dropExpiredMs, giveUpAfterMs, keepFlushesMs } = options.timings;
  const { refreshMs, askedForMs } = options.timings;
  const repository = createUsageRepository(db);
  const queries = createUsageQueries(db);
  const collector = createUsageCollector({ clock, maxKeyMinutes });
  const flusher = createUsageFlusher({ clock, giveUpAfterMs, collector, repository, onLost });

  // Metrics count failed statements. A line for each of them would fill the log during an outage.
  const onFailure = (failure: unknown) => {
    if (!(failure instanceof DatabaseUnavailableError)) report(failure);
  };
  let writtenAt = clock.elapsed();
  let rolledUpAt = writtenAt;
  const flushing = repeat(
    async () => {
      await flusher.flush();
      writtenAt = clock.elapsed();
    },
    { clock, pauseMs: flushMs, onFailure },
  );
  const rollingUp = repeat(
    async () => {
      const isMore = await repository.rollUp();
      if (!isMore) rolledUpAt = clock.elapsed();
      return isMore;
    },
    { clock, pauseMs: rollUpMs, onFailure },
  );
  const retention = { ...keptMs, flushes: keepFlushesMs, key_days: keptMs.days };
  const droppingExpired = repeat(() => repository.dropExpired(retention), {
    clock,
    pauseMs: dropExpiredMs,
    onFailure,
  });

  let askedAt = Number.NEGATIVE_INFINITY;
  let refreshed = Promise.resolve();

  /** Brings the ledger up to date for a question. A long roll-up, as after an outage, keeps nobody waiting. */
  async function refresh(): Promise<void> {
    const now = clock.elapsed();
    if (now - askedAt > refreshMs) {
      askedAt = now;
      refreshed = flushing.now().then(rollingUp.now);
    }
    await waitAtMost({ ms: refreshMs }, refreshed, () => {});
  }

  const upToDate =
    <Question extends unknown[], Answer>(ask: (...question: Question) => Promise<Answer>) =>
    async (...question: Question) => {
      await refresh();
      return ask(...question);
    };

  /** Does not wait for a roll-up before it writes: what is not rolled up now is later, by any replica. */
  async function finish(): Promise<void> {
    const lastFlush = flushing.stop().then(flusher.flush);
    await Promise.all([lastFlush, rollingUp.stop(), droppingExpired.stop()]);
  }

  return {
    /** Counts one request, in memory. */
    count: collector.count,

    /** Reads the ledger. Each question has what was counted so far written and rolled up first. */
    ledger: {
      read: upToDate(queries.read),
      readBusiest: upToDate(queries.readBusiest),
      listBusiest: upToDate(queries.listBusiest),
      readRecent: upToDate(queries.readRecent),
      sumOfAccounts: upToDate(queries.sumOfAccounts),
    } satisfies UsageQueries,

    /** Writes what this replica has counted, because another one was asked a question. */
    flush: flushing.now,
    /** Whether this replica was asked a question in the last few seconds, so that the others should write. */
    isAsked: () => clock.elapsed() - askedAt < askedForMs,
    /** Milliseconds since all that was counted had been written. */
    writeAgeMs: () => clock.elapsed() - writtenAt,
    /** Milliseconds since all that was written had been rolled up, or another replica was at it. */
    rollUpAgeMs: () => clock.elapsed() - rolledUpAt,

    /** Writes what was counted. */
    async close(): Promise<void> {
      await waitAtMost({ ms: closeTimeoutMs }, finish().catch(onFailure), () => {});
      flusher.giveUp();
    },
  };
}
