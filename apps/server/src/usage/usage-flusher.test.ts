import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createUsageCollector } from './usage-collector.ts';
import { createUsageFlusher } from './usage-flusher.ts';
import type { UsageFlush } from './usage-repository.ts';

const hourMs = 3_600_000;

/** A flusher that writes to a list, or fails with what `failure` says. */
function openFlusher({ maxKeyMinutes = 100_000 } = {}) {
  const written: UsageFlush[] = [];
  const tried: UsageFlush[] = [];
  const lost: number[] = [];
  const clock = createTestClock();
  const collector = createUsageCollector({ clock, maxKeyMinutes });
  const database = { failure: undefined as Error | undefined };
  const flusher = createUsageFlusher({
    clock,
    giveUpAfterMs: 12 * hourMs,
    collector,
    repository: {
      async add(flush) {
        tried.push(flush);
        if (database.failure !== undefined) throw database.failure;
        written.push(flush);
      },
    },
    onLost: (requests) => lost.push(requests),
  });
  const count = (id: string) =>
    collector.count({
      apiKey: { id, plan: 'free' },
      decision: undefined,
      operation: { usageCode: 1 },
      status: 200,
      errorCode: undefined,
    });
  return { clock, flusher, database, count, written, tried, lost };
}

const requestsOf = (flushes: readonly UsageFlush[]) =>
  flushes.flatMap(({ entries }) => entries).reduce((sum, { requests }) => sum + requests, 0);

test('nothing is written if nothing was counted', async () => {
  const { flusher, tried } = openFlusher();
  await flusher.flush();
  expect(tried).toEqual([]);
});

test('ten thousand active keys are written in flushes of a thousand, sorted and numbered', async () => {
  const { flusher, count, written } = openFlusher();
  const ids = Array.from({ length: 10_000 }, () => randomUUID());
  for (const id of ids) count(id);
  await flusher.flush();
  expect(written.map(({ entries }) => entries.length)).toEqual(Array(10).fill(1_000));
  expect(written.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(new Set(written.map(({ replica }) => replica)).size).toBe(1);
  const order = written.flatMap(({ entries }) => entries.map(({ keyId }) => keyId));
  expect(order).toEqual(ids.sort());
});

test('a flush that failed is written again as it was, and before what came after it', async () => {
  const { flusher, database, count, tried, written, lost } = openFlusher();
  database.failure = new Error('no answer');
  count('a');
  await expect(flusher.flush()).rejects.toThrow('no answer');
  count('a');
  count('b');
  await expect(flusher.flush()).rejects.toThrow('no answer');
  database.failure = undefined;
  await flusher.flush();

  const [first, again] = tried;
  expect(again).toEqual(first);
  expect(written.map(({ sequence }) => sequence)).toEqual([1, 2]);
  expect(written[0]).toEqual(first);
  expect(requestsOf(written)).toBe(3);
  expect(lost).toEqual([]);
});

test('a part that was written is not written again when a later part failed', async () => {
  const { flusher, database, count, tried, written } = openFlusher();
  for (let n = 0; n < 1_500; n += 1) count(randomUUID());
  database.failure = new Error('no answer');
  await expect(flusher.flush()).rejects.toThrow('no answer');
  database.failure = undefined;
  await flusher.flush();
  expect(tried.map(({ sequence }) => sequence)).toEqual([1, 1, 2]);
  expect(requestsOf(written)).toBe(1_500);
});

test('what does not fit into memory while the database is away is reported at the next flush', async () => {
  const { flusher, database, count, written, lost } = openFlusher({ maxKeyMinutes: 2 });
  database.failure = new Error('away');
  for (const id of ['a', 'b', 'c', 'a']) count(id);
  await expect(flusher.flush()).rejects.toThrow('away');
  expect(lost).toEqual([1]);
  database.failure = undefined;
  await flusher.flush();
  expect(requestsOf(written)).toBe(3);
  expect(lost).toEqual([1]);
});

test('a flush is given up and reported after 12 hours, when it may have been removed', async () => {
  const { clock, flusher, database, count, tried, written, lost } = openFlusher();
  database.failure = new Error('away');
  count('a');
  count('a');
  await expect(flusher.flush()).rejects.toThrow('away');
  await clock.advance(12 * hourMs);
  await expect(flusher.flush()).rejects.toThrow('away');
  expect(lost).toEqual([]);
  count('b');
  await clock.advance(1);
  database.failure = undefined;
  await flusher.flush();
  expect(lost).toEqual([2]);
  expect(tried.map(({ sequence }) => sequence)).toEqual([1, 1, 2]);
  expect(requestsOf(written)).toBe(1);
});

test('a stop that cannot write reports everything that is left', async () => {
  const { flusher, database, count, lost } = openFlusher();
  database.failure = new Error('away');
  count('a');
  await expect(flusher.flush()).rejects.toThrow('away');
  count('b');
  flusher.giveUp();
  expect(lost).toEqual([2]);
  flusher.giveUp();
  expect(lost).toEqual([2]);
});

test('two processes never have the same replica', async () => {
  const [one, other] = [openFlusher(), openFlusher()];
  for (const { flusher, count } of [one, other]) {
    count('a');
    await flusher.flush();
  }
  expect(one.written[0]?.replica).not.toBe(other.written[0]?.replica);
});
