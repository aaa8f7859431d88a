import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { UsageEntry } from '../../src/usage/usage-entry.ts';
import { createUsageQueries } from '../../src/usage/usage-queries.ts';
import { createUsageRepository, type UsageRepository } from '../../src/usage/usage-repository.ts';
import { databaseKinds, useDatabase } from '../support/databases.ts';

const dayMs = 86_400_000;

describe.each(databaseKinds)('the usage repository on %s', (kind) => {
  const database = useDatabase(kind);
  let repository: UsageRepository;
  beforeAll(async () => {
    repository = createUsageRepository(database.db);
  });

  const now = new Date();

  function entryOf(keyId: string, at: Date, requests: number): UsageEntry {
    const minute = Math.floor(at.getTime() / 60_000);
    return { keyId, plan: 1, minute, operation: 1, outcome: 0, requests };
  }

  const flushOf = (entries: readonly UsageEntry[], flushedAt = now) => ({
    replica: randomUUID(),
    sequence: 1,
    flushedAt,
    entries,
  });

  const daysAround = (at: Date, days: number) => ({
    from: new Date(at.getTime() - days * dayMs).toISOString(),
    to: new Date(at.getTime() + days * dayMs).toISOString(),
  });

  async function rollUpAll(): Promise<void> {
    while (await repository.rollUp());
  }

  async function requestsOf(keyId: string, bucket: 'minute' | 'hour' | 'day', around: Date) {
    const rows = await createUsageQueries(database.db).read(
      bucket,
      { keyId },
      daysAround(around, 2),
    );
    return rows.reduce((sum, { requests }) => sum + requests, 0);
  }

  test('counts a flush once, however often it is written and whenever it was rolled up', async () => {
    const keyId = randomUUID();
    const flush = flushOf([entryOf(keyId, now, 3)]);
    await repository.add(flush);
    await repository.add(flush);
    await rollUpAll();
    await repository.add(flush);
    await rollUpAll();
    for (const bucket of ['minute', 'hour', 'day'] as const) {
      expect(await requestsOf(keyId, bucket, now)).toBe(3);
    }
  });

  test('adds up the flushes of several replicas, and rolls up once if several try', async () => {
    const keyId = randomUUID();
    const other = createUsageRepository(database.db);
    await Promise.all([1, 2, 3].map((n) => repository.add(flushOf([entryOf(keyId, now, n)]))));
    await Promise.all([repository.rollUp(), other.rollUp(), repository.rollUp()]);
    await rollUpAll();
    expect(await requestsOf(keyId, 'hour', now)).toBe(6);
  });

  test('takes ten thousand active keys', async () => {
    const keyIds = Array.from({ length: 10_000 }, () => randomUUID()).sort();
    for (let sequence = 0; sequence < 10; sequence += 1) {
      const some = keyIds.slice(sequence * 1_000, (sequence + 1) * 1_000);
      await repository.add(flushOf(some.map((keyId) => ({ ...entryOf(keyId, now, 1), plan: 2 }))));
    }
    await rollUpAll();
    const rows = await createUsageQueries(database.db).read(
      'day',
      { plan: 'pro' },
      daysAround(now, 1),
    );
    expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(10_000);
    expect(await requestsOf(keyIds[9_999] ?? '', 'day', now)).toBe(1);
  });

  test('drops what is older than it is kept, but no flush that waits', async () => {
    const keyId = randomUUID();
    const old = new Date(now.getTime() - 40 * dayMs);
    const retention = {
      flushes: dayMs,
      minutes: dayMs,
      hours: dayMs,
      days: 400 * dayMs,
      key_days: 400 * dayMs,
    };
    await repository.add(flushOf([entryOf(keyId, old, 2), entryOf(keyId, now, 5)], old));
    await repository.dropExpired(retention);
    await rollUpAll();
    expect(await requestsOf(keyId, 'minute', old)).toBe(2);
    await repository.dropExpired(retention);
    expect(await requestsOf(keyId, 'minute', old)).toBe(0);
    expect(await requestsOf(keyId, 'day', old)).toBe(2);
    expect(await requestsOf(keyId, 'minute', now)).toBe(5);
    // The partitions are created again when they are needed.
    await repository.add(flushOf([entryOf(keyId, old, 4)], old));
    await rollUpAll();
    expect(await requestsOf(keyId, 'minute', old)).toBe(4);
  });
});
