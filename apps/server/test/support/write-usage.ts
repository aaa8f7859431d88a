import { randomUUID } from 'node:crypto';
import { type UsageOutcome, usageOperations, usageOutcomes } from '@animal-store/admin-contract';
import type { Database } from '@animal-store/postgres';
import { planCode, type UsageEntry } from '../../src/usage/usage-entry.ts';
import { addFlush } from '../../src/usage/usage-writer.ts';
import type { TestDatabase } from './databases.ts';

/** Returns the total number of requests in rows of the usage tables. */
export const sumOf = (rows: readonly { requests: number }[] = []) =>
  rows.reduce((sum, { requests }) => sum + requests, 0);

/** Returns an entry for the usage tables: the requests of an API key in one minute. */
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

/** Writes entries to the usage tables, as a replica does. */
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
 * Writes requests of an API key at several times to the usage tables, while a service uses the
 * database. All requests are calls of getPet with the plan Pro.
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
