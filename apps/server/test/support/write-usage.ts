import { randomUUID } from 'node:crypto';
import { type UsageOutcome, usageOperations, usageOutcomes } from '@animal-store/contract/admin';
import { planCode } from '../../src/usage/usage-entry.ts';
import { createUsageRepository } from '../../src/usage/usage-repository.ts';
import type { TestDatabase } from './databases.ts';

/**
 * Writes into the ledger of a database what a replica might have counted of a key, and rolls it up: calls of
 * getPet under the plan Pro, by the times of some minutes.
 */
export async function writeCounts(
  database: TestDatabase,
  keyId: string,
  counts: readonly (readonly [at: number, outcome: UsageOutcome, requests: number])[],
): Promise<void> {
  const { db, close } = await database.open();
  const repository = createUsageRepository(db);
  const entries = counts.map(([at, outcome, requests]) => ({
    keyId,
    plan: planCode('pro'),
    minute: at / 60_000,
    operation: usageOperations.indexOf('getPet'),
    outcome: usageOutcomes.indexOf(outcome),
    requests,
  }));
  await repository.add({ replica: randomUUID(), sequence: 1, flushedAt: new Date(), entries });
  // Or the service does it meanwhile.
  while (await repository.rollUp());
  await close();
}
