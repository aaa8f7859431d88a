import { randomUUID } from 'node:crypto';
import type { Clock } from '@animal-store/runtime';
import { createTraffic } from './live-traffic.ts';
import type { UsageCollector } from './usage-collector.ts';
import type { UsageFlush } from './usage-writer.ts';

/**
 * The largest number of entries in one flush (a batch of counts). A larger flush might exceed the
 * statement timeout.
 */
const maxFlushEntries = 1_000;

export function createUsageFlusher(options: {
  clock: Pick<Clock, 'elapsed'>;
  giveUpAfterMs: number;
  collector: UsageCollector;
  write: (flush: UsageFlush, ageMs: number) => Promise<unknown>;
  onLost: (requests: number) => void;
}) {
  const { clock, giveUpAfterMs, collector, write, onLost } = options;
  /** A new id for each process, so that the pair of replica and sequence number never repeats. */
  const replica = randomUUID();
  let sequence = 0;
  /**
   * The flushes (batches of counts) that the database has not confirmed, although it may have
   * committed them. They are written again without any change, so that the database recognizes them
   * and does not count their requests twice.
   */
  let pending: (UsageFlush & { readonly takenAt: number })[] = [];

  const ageOf = ({ takenAt }: { takenAt: number }) => clock.elapsed() - takenAt;

  /**
   * Moves the counts of the collector into pending flushes (batches of counts that are being
   * written). Newer counts stay in the collector while flushes are pending, because counts use less
   * memory in the collector than in flushes.
   */
  function takeCounts(): void {
    const { entries, traffic } = collector.take();
    if (entries.length === 0 && traffic.outcomes.every((count) => count === 0)) return;
    const takenAt = clock.elapsed();
    for (let start = 0; start === 0 || start < entries.length; start += maxFlushEntries) {
      sequence += 1;
      const part = entries.slice(start, start + maxFlushEntries);
      const { outcomes, latencies } = start === 0 ? traffic : createTraffic();
      pending.push({ replica, sequence, takenAt, entries: part, outcomes, latencies });
    }
  }

  async function writePending(): Promise<void> {
    for (let flush = pending[0]; flush !== undefined; flush = pending[0]) {
      await write(flush, ageOf(flush));
      pending.shift();
    }
  }

  function reportLost(requests: number): void {
    if (requests > 0) onLost(requests);
  }

  return {
    /** Writes everything that was counted before the call. Only one call may run at a time. */
    async flush(): Promise<void> {
      const expired = pending.filter((flush) => ageOf(flush) > giveUpAfterMs);
      pending = pending.filter((flush) => !expired.includes(flush));
      reportLost(collector.takeLost() + requestsIn(expired));
      // Flushes that may have been committed are written first and without any change.
      await writePending();
      takeCounts();
      await writePending();
    },

    /** Reports as lost all requests whose counts were not written. */
    giveUp(): void {
      takeCounts();
      reportLost(collector.takeLost() + requestsIn(pending));
      pending = [];
    },
  };
}

function requestsIn(flushes: readonly UsageFlush[]): number {
  return flushes.flatMap(({ entries }) => entries).reduce((sum, { requests }) => sum + requests, 0);
}
