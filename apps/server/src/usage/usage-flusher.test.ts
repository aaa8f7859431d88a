import { createTestClock } from '@animal-store/runtime/test-clock';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sumOf } from '../../test/support/write-usage.ts';
import { createUsageCollector } from './usage-collector.ts';
import { createUsageFlusher } from './usage-flusher.ts';
import type { UsageFlush } from './usage-writer.ts';

const giveUpAfterMs = 1_000;

/** The ways in which the fake database handles a flush (a batch of counts). */
type Answer = 'committed' | 'refused' | 'committed without an answer';

/** Opens a flusher that writes to a fake usage table in memory. */
function openFlusher(maxEntries = 100_000) {
  const clock = createTestClock();
  const collector = createUsageCollector({ clock, maxEntries });
  const ledger = new Map<string, { flush: UsageFlush; ageMs: number }>();
  const tried: number[] = [];
  let lost = 0;
  let answer: Answer = 'committed';
  const flusher = createUsageFlusher({
    clock,
    giveUpAfterMs,
    collector,
    async write(flush, ageMs) {
      tried.push(flush.sequence);
      const id = `${flush.replica} ${flush.sequence}`;
      if (answer !== 'refused' && !ledger.has(id)) ledger.set(id, { flush, ageMs });
      if (answer !== 'committed') throw new Error(answer);
    },
    onLost: (requests) => {
      lost += requests;
    },
  });
  return {
    clock,
    tried,
    giveUp: flusher.giveUp,
    shed: collector.countShed,
    lost: () => lost,
    /** Returns the flushes (batches of counts) that reached the fake usage table. */
    written: () => [...ledger.values()],
    sum: () => sumOf([...ledger.values()].flatMap(({ flush }) => flush.entries)),
    count(...ids: string[]) {
      const request = { decision: undefined, operation: { usageCode: 1 }, status: 200 };
      for (const id of ids) {
        const key = { id, plan: 'free' } as const;
        collector.count({ ...request, key, errorCode: undefined, durationMs: 1 });
      }
    },
    async flush(how: Answer = 'committed') {
      answer = how;
      await flusher.flush().catch((error: Error) => expect(error.message).toBe(how));
    },
  };
}

test('the usage flusher never writes a counted request twice, and reports every request that it could not write as lost', async () => {
  const answers = ['committed', 'refused', 'committed without an answer'] as const;
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ count: fc.constantFrom(...'012345') }) },
    { weight: 4, arbitrary: fc.record({ flush: fc.constantFrom<Answer>(...answers) }) },
    { weight: 1, arbitrary: fc.record({ passMs: fc.constantFrom(1, giveUpAfterMs, 1_001) }) },
  );
  const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
    const flusher = openFlusher(8);
    let counted = 0;
    for (const one of steps) {
      if ('count' in one) {
        flusher.count(one.count);
        counted += 1;
      } else if ('flush' in one) await flusher.flush(one.flush);
      else await flusher.clock.advance(one.passMs);
      expect(flusher.sum()).toBeLessThanOrEqual(counted);
    }
    await flusher.flush();
    expect(flusher.sum() + flusher.lost()).toBeGreaterThanOrEqual(counted);
    // The database may have committed a flush (a batch of counts) whose response was lost. The
    // replica then reports the requests of the flush as lost, although the usage table contains
    // them.
    const isDoubtful = steps.some((one) => 'flush' in one && one.flush === answers[2]);
    if (!isDoubtful) expect(flusher.sum() + flusher.lost()).toBe(counted);
  });
  await fc.assert(property, { seed: 1, numRuns: 300 });
});

test('the usage flusher writes the counts of many API keys in numbered batches of 1,000', async () => {
  const flusher = openFlusher();
  await flusher.flush();
  flusher.count(...Array.from({ length: 2_500 }, (_, n) => `key ${n}`));
  await flusher.flush();
  const flushes = flusher.written().map(({ flush }) => flush);
  expect(
    flushes.map(({ sequence, entries, outcomes }) => [sequence, entries.length, outcomes[0]]),
  ).toEqual([
    [1, 1_000, 2_500],
    [2, 1_000, 0],
    [3, 500, 0],
  ]);
  const other = openFlusher();
  // Requests that were refused because of overload are part of the live traffic (the counts of the
  // last minute). Their API keys are unknown, so the batch has no entries for them.
  other.shed(1);
  await other.flush();
  const [{ flush } = {}] = other.written();
  expect(flush?.entries).toEqual([]);
  expect(flushes.map(({ replica }) => replica)).not.toContain(flush?.replica);
});

test('the usage flusher retries a failed batch of counts unchanged before it writes newer counts, and tells the database how old the batch is', async () => {
  const flusher = openFlusher();
  flusher.count('a');
  await flusher.flush('refused');
  // Newer counts wait in the collector, where counts of the same kind are added up.
  flusher.count('b');
  await flusher.flush('refused');
  flusher.count('b');
  await flusher.clock.advance(700);
  await flusher.flush();
  expect(flusher.tried).toEqual([1, 1, 1, 2]);
  expect(flusher.written()).toMatchObject([
    { flush: { entries: [{ keyId: 'a' }] }, ageMs: 700 },
    { flush: { entries: [{ keyId: 'b', requests: 2 }] }, ageMs: 0 },
  ]);
});

test('the usage flusher reports requests as lost when their batch is too old to be retried, and when the function `giveUp` is called', async () => {
  const flusher = openFlusher(2);
  flusher.count('a', 'a');
  await flusher.flush('refused');
  await flusher.clock.advance(giveUpAfterMs);
  await flusher.flush('refused');
  expect(flusher.lost()).toBe(0);
  await flusher.clock.advance(1);
  await flusher.flush();
  expect([flusher.lost(), flusher.sum(), flusher.tried]).toEqual([2, 0, [1, 1]]);
  flusher.count('a', 'b', 'c');
  await flusher.flush('refused');
  flusher.count('d');
  flusher.giveUp();
  flusher.giveUp();
  expect(flusher.lost()).toBe(6);
});
