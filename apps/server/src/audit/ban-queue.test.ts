import { expect, test } from 'vitest';
import { DatabaseError, DatabaseUnavailableError } from '../database/database-error.ts';
import type { Ban } from './ban-log.ts';
import { createBanQueue } from './ban-queue.ts';

const banOf = (keyId: string): Ban => ({
  keyId,
  startedAt: '2026-11-21T09:00:00Z',
  until: '2026-11-21T09:05:00Z',
});

/** A queue that writes to a list, unless it is told what to throw. */
function createQueue() {
  const told = { written: [] as string[], lost: 0, failures: [] as unknown[] };
  const next: { error?: Error | undefined } = {};
  const queue = createBanQueue({
    async write({ keyId }) {
      if (next.error !== undefined) throw next.error;
      told.written.push(keyId);
    },
    onLost(bans) {
      told.lost += bans;
    },
    onFailure: (failure) => told.failures.push(failure),
  });
  return { queue, told, next };
}

test('writes bans once, in their order', async () => {
  const { queue, told } = createQueue();
  for (const id of ['a', 'b', 'c']) queue.add(banOf(id));
  await queue.write();
  await queue.write();
  expect(told).toEqual({ written: ['a', 'b', 'c'], lost: 0, failures: [] });
});

test('keeps bans while the database is unavailable', async () => {
  const { queue, told, next } = createQueue();
  queue.add(banOf('a'));
  next.error = new DatabaseUnavailableError('CONNECT_TIMEOUT');
  await expect(queue.write()).rejects.toBe(next.error);
  queue.add(banOf('b'));
  await expect(queue.write()).rejects.toBe(next.error);
  next.error = undefined;
  await queue.write();
  expect(told).toEqual({ written: ['a', 'b'], lost: 0, failures: [] });
});

test('gives up a ban that the database refuses, and writes those behind it', async () => {
  const { queue, told, next } = createQueue();
  queue.add(banOf('a'));
  const refusal = new DatabaseError('22P02');
  next.error = refusal;
  await queue.write();
  next.error = undefined;
  queue.add(banOf('b'));
  await queue.write();
  expect(told).toEqual({ written: ['b'], lost: 1, failures: [refusal] });
});

test('holds ten thousand bans, and reports those beyond as lost', async () => {
  const { queue, told } = createQueue();
  for (let n = 0; n < 10_003; n += 1) queue.add(banOf(String(n)));
  expect(told.lost).toBe(3);
  await queue.write();
  expect(told.written).toHaveLength(10_000);
  queue.add(banOf('later'));
  await queue.write();
  expect(told.written.at(-1)).toBe('later');
});

test('reports what was not written when it gives up', async () => {
  const { queue, told } = createQueue();
  queue.add(banOf('a'));
  queue.add(banOf('b'));
  queue.giveUp();
  queue.giveUp();
  await queue.write();
  expect(told).toEqual({ written: [], lost: 2, failures: [] });
});
