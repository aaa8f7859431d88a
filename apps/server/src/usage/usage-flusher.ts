import { randomUUID } from 'node:crypto';
import type { Clock } from '@animal-store/runtime';
import { createTraffic } from './live-traffic.ts';
import type { UsageCollector } from './usage-collector.ts';
import type { UsageFlush } from './usage-writer.ts';

/** The most entries in one flush. A larger flush might exceed the statement timeout. */
const maxFlushEntries = 1_000;

export function createUsageFlusher(options: {
  clock: Pick<Clock, 'elapsed'>;
  giveUpAfterMs: number;
  collector: UsageCollector;
  write: (flush: UsageFlush, ageMs: number) => Promise<unknown>;
  onLost: (requests: number) => void;
}) {
  const { clock, giveUpAfterMs, collector, write, onLost } = options;
  /** Each process has a new id, so that the pair of replica and sequence never repeats. */
  const replica = randomUUID();
  let sequence = 0;
  /**
   * The flushes that may or may not have been committed. They never change, because they are
   * written again.
   */
  let pending: (UsageFlush & { readonly takenAt: number })[] = [];

  const ageOf = ({ takenAt }: { takenAt: number }) => clock.elapsed() - takenAt;

  /**
   * Moves the collector's counts into pending flushes. Counts that arrive while flushes are pending
   * stay in the collector, where they take less memory.
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
    /** Writes everything that was counted before the call. Calls must not overlap. */
    async flush(): Promise<void> {
      const expired = pending.filter((flush) => ageOf(flush) > giveUpAfterMs);
      pending = pending.filter((flush) => !expired.includes(flush));
      reportLost(collector.takeLost() + requestsIn(expired));
      // Flushes that may have been committed are written first and unchanged.
      await writePending();
      takeCounts();
      await writePending();
    },

    /** Reports everything that was not written as lost. */
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
