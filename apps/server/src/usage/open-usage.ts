import type { OpenDatabase } from '@animal-store/postgres';
import { unlessUnavailable } from '@animal-store/postgres';
import type { Clock } from '@animal-store/runtime';
import { repeat, waitAtMost } from '@animal-store/runtime';
import { createUsageCollector } from './usage-collector.ts';
import { createUsageFlusher } from './usage-flusher.ts';
import { createUsageQueries } from './usage-queries.ts';
import { deleteExpiredUsage } from './usage-retention.ts';
import { defaultUsageSettings, type UsageSettings } from './usage-settings.ts';
import { addFlush } from './usage-writer.ts';

/**
 * The largest number of counts that are kept in memory while the database is down. They use about
 * 30 MB.
 */
const maxEntries = 200_000;

/**
 * Opens the part of the service that counts requests for usage reports and writes the counts to the
 * database in the background.
 */
export function openUsage(
  options: Partial<UsageSettings> & {
    background: OpenDatabase['background'];
    operators: OpenDatabase['operators'];
    clock: Clock;
    /**
     * A function that is called with the number of requests that will be missing in the usage
     * tables.
     */
    onLost: (requests: number) => void;
    report: (failure: unknown) => void;
  },
) {
  const { background, operators, clock, onLost } = options;
  const settings = { ...defaultUsageSettings, ...options };
  const { closeTimeoutMs, deleteExpiredMs, flushMs, giveUpAfterMs, keepFlushesMs, keptMs } =
    settings;
  const collector = createUsageCollector({ clock, maxEntries });
  const flusher = createUsageFlusher({
    clock,
    giveUpAfterMs,
    collector,
    write: (flush, ageMs) => addFlush(background, flush, ageMs),
    onLost,
  });

  const onFailure = unlessUnavailable(options.report);
  let writtenAt = clock.elapsed();
  const flushing = repeat(
    async () => {
      await flusher.flush();
      writtenAt = clock.elapsed();
    },
    { clock, pauseMs: flushMs, onFailure },
  );
  const deleting = repeat(
    () => deleteExpiredUsage(background, { ...keptMs, flushes: keepFlushesMs }),
    {
      clock,
      pauseMs: deleteExpiredMs,
      onFailure,
    },
  );

  return {
    collector,
    ledger: createUsageQueries(operators),
    keptMs,
    /** Returns the milliseconds since the last time at which all counts had been written. */
    writeAgeMs: () => clock.elapsed() - writtenAt,

    async close(): Promise<void> {
      const lastFlush = flushing.stop().then(flusher.flush);
      const finish = Promise.all([lastFlush, deleting.stop()]);
      await waitAtMost({ ms: closeTimeoutMs }, finish.then(() => {}).catch(onFailure), () => {});
      flusher.giveUp();
    },
  };
}
