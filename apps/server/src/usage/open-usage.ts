import type { Database } from '../database/database.ts';
import { DatabaseUnavailableError } from '../database/database-error.ts';
import { repeat } from '../shared/repeat.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import { createUsageCollector } from './usage-collector.ts';
import { createUsageFlusher } from './usage-flusher.ts';
import type { UsageRetention } from './usage-partitions.ts';
import { createUsageQueries, type UsageQueries } from './usage-queries.ts';
import { createUsageRepository } from './usage-repository.ts';

/** How many keys and minutes are held while the database is unavailable: about 30 MB. */
const maxKeyMinutes = 100_000;

/** How long a stop waits for the last flush. A database that is up takes milliseconds. */
const closeTimeoutMs = 3_000;

/** How often expired data is looked for. Partitions cover a day or a month. */
const dropExpiredMs = 15 * 60_000;

/**
 * How long a flush is kept after it was rolled up. Longer than replicas try to write one: if the
 * first try was committed without an answer, the next one must find it.
 */
const keepFlushesMs = 24 * 3_600_000;

/** How often questions have the ledger brought up to date, and how long each waits for that at most. */
const refreshMs = 1_000;

/** How long after a question another one is expected: longer than the pause of a page that polls. */
const askedForMs = 5_000;

/** Opens the usage ledger: it writes and rolls up counts from now on. */
export function openUsage(options: {
  db: Database;
  /** How often counts are written. */
  flushMs: number;
  /** How often written counts are rolled up. */
  rollUpMs: number;
  /** How long the ledger keeps what it shows. */
  keptMs: Pick<UsageRetention, 'minutes' | 'hours' | 'days'>;
  /** Called with the number of requests that will be missing in the ledger. */
  onLost: (requests: number) => void;
  report: (failure: unknown) => void;
}) {
  const { db, flushMs, rollUpMs, keptMs, onLost, report } = options;
  const repository = createUsageRepository(db);
  const queries = createUsageQueries(db);
  const collector = createUsageCollector({ maxKeyMinutes });
  const flusher = createUsageFlusher({ collector, repository, onLost });

  // Metrics count failed statements. A line for each of them would fill the log during an outage.
  const onFailure = (failure: unknown) => {
    if (!(failure instanceof DatabaseUnavailableError)) report(failure);
  };
  let writtenAt = performance.now();
  let rolledUpAt = writtenAt;
  const flushing = repeat(
    async () => {
      await flusher.flush();
      writtenAt = performance.now();
    },
    flushMs,
    onFailure,
  );
  const rollingUp = repeat(
    async () => {
      const isMore = await repository.rollUp();
      if (!isMore) rolledUpAt = performance.now();
      return isMore;
    },
    rollUpMs,
    onFailure,
  );
  const retention = { ...keptMs, flushes: keepFlushesMs, key_days: keptMs.days };
  const droppingExpired = repeat(() => repository.dropExpired(retention), dropExpiredMs, onFailure);

  let askedAt = Number.NEGATIVE_INFINITY;
  let refreshed = Promise.resolve();

  /** Brings the ledger up to date for a question. A long roll-up, as after an outage, keeps nobody waiting. */
  async function refresh(): Promise<void> {
    const now = performance.now();
    if (now - askedAt > refreshMs) {
      askedAt = now;
      refreshed = flushing.now().then(rollingUp.now);
    }
    await waitAtMost(refreshMs, refreshed, () => {});
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
    isAsked: () => performance.now() - askedAt < askedForMs,
    /** Milliseconds since all that was counted had been written. */
    writeAgeMs: () => performance.now() - writtenAt,
    /** Milliseconds since all that was written had been rolled up, or another replica was at it. */
    rollUpAgeMs: () => performance.now() - rolledUpAt,

    /** Writes what was counted. */
    async close(): Promise<void> {
      await waitAtMost(closeTimeoutMs, finish().catch(onFailure), () => {});
      flusher.giveUp();
    },
  };
}
