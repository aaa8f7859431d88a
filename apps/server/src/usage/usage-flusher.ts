import { randomUUID } from 'node:crypto';
import type { Clock } from '../shared/clock.ts';
import type { UsageCollector } from './usage-collector.ts';
import type { UsageFlush, UsageRepository } from './usage-repository.ts';

/** How many entries one flush has at most: it is one row, and is rolled up whole. */
const maxFlushEntries = 1_000;

/** Moves counts from memory to the database. */
export function createUsageFlusher(options: {
  clock: Pick<Clock, 'now'>;
  /** How long a flush is tried. */
  giveUpAfterMs: number;
  collector: UsageCollector;
  repository: Pick<UsageRepository, 'add'>;
  /** Called with the number of requests that will be missing in the ledger. */
  onLost: (requests: number) => void;
}) {
  const { clock, giveUpAfterMs, collector, repository, onLost } = options;
  /** New with each process, so that sequences never repeat. */
  const replica = randomUUID();
  let sequence = 0;
  /** Flushes that may or may not have been committed: they never change, and are written again. */
  let pending: UsageFlush[] = [];

  /** What is counted while these are pending stays in memory, where it takes less room. */
  function takeCounts(): void {
    const entries = collector.take();
    const flushedAt = new Date(clock.now());
    for (let start = 0; start < entries.length; start += maxFlushEntries) {
      sequence += 1;
      const part = entries.slice(start, start + maxFlushEntries);
      pending.push({ replica, sequence, flushedAt, entries: part });
    }
  }

  async function writePending(): Promise<void> {
    for (let flush = pending[0]; flush !== undefined; flush = pending[0]) {
      await repository.add(flush);
      pending.shift();
    }
  }

  function reportLost(requests: number): void {
    if (requests > 0) onLost(requests);
  }

  return {
    /** Writes everything that was counted before the call. Must not be called while it runs. */
    async flush(): Promise<void> {
      const oldest = clock.now() - giveUpAfterMs;
      const expired = pending.filter(({ flushedAt }) => flushedAt.getTime() < oldest);
      pending = pending.filter((flush) => !expired.includes(flush));
      reportLost(collector.takeLost() + requestsIn(expired));
      // First what may be committed already, in its own flush.
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
