import { randomUUID } from 'node:crypto';
import { type UsageOutcome, usageOperations, usageOutcomes } from '@animal-store/admin-contract';
import type { Database } from '@animal-store/postgres';
import { planCode, type UsageEntry } from '../../src/usage/usage-entry.ts';
import { addFlush } from '../../src/usage/usage-writer.ts';
import type { TestDatabase } from './databases.ts';

/** How many requests rows of the ledger tell of. */
export const sumOf = (rows: readonly { requests: number }[] = []) =>
  rows.reduce((sum, { requests }) => sum + requests, 0);

/** Some requests of a key in a minute. */
export function entryOf(
  keyId: string,
  at: number | Date,
  more: Partial<Omit<UsageEntry, 'operation' | 'outcome'>> & {
    operation?: (typeof usageOperations)[number];
    outcome?: UsageOutcome;
  } = {},
): UsageEntry {
  const { operation = 'listPets', outcome = 'ok', ...rest } = more;
  const lastAtMs = Number(at);
  return {
    keyId,
    plan: planCode('free'),
    minute: Math.floor(lastAtMs / 60_000),
    requests: 1,
    lastAtMs,
    ...rest,
    operation: usageOperations.indexOf(operation),
    outcome: usageOutcomes.indexOf(outcome),
  };
}

/** Writes into the ledger of a database what a replica might have counted. */
export async function writeUsage(
  db: Database,
  entries: readonly UsageEntry[],
  flush: { replica?: string; sequence?: number; outcomes?: number[]; latencies?: number[] } = {},
  ageMs = 0,
): Promise<void> {
  const whole = { replica: randomUUID(), sequence: 1, outcomes: [], latencies: [], ...flush };
  await addFlush(db, { ...whole, entries }, ageMs);
}

/**
 * Writes into the ledger of a database that a service has open what a replica might have counted of a key:
 * calls of getPet under the plan Pro, at some times.
 */
export async function writeCounts(
  database: TestDatabase,
  keyId: string,
  counts: readonly (readonly [at: number, outcome: UsageOutcome, requests: number])[],
): Promise<void> {
  const entries = counts.map(([at, outcome, requests]) =>
    entryOf(keyId, at, { plan: planCode('pro'), operation: 'getPet', outcome, requests }),
  );
  await writeUsage(database.db, entries);
}
