import { randomUUID } from 'node:crypto';
import type { UsageEntry } from '../../src/usage/usage-entry.ts';
import { createUsageRepository } from '../../src/usage/usage-repository.ts';
import type { TestDatabase } from './databases.ts';

/** Writes into the ledger of a database what a replica might have counted, and rolls it up. */
export async function writeUsage(
  database: TestDatabase,
  entries: readonly UsageEntry[],
): Promise<void> {
  const { db, close } = await database.open();
  const repository = createUsageRepository(db);
  await repository.add({ replica: randomUUID(), sequence: 1, flushedAt: new Date(), entries });
  // Or the service does it meanwhile.
  while (await repository.rollUp());
  await close();
}
