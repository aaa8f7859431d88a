import { and, eq, gt, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { isActive, isUnexpired } from '../database/lifetime.ts';
import { operatorSessions, operators, operatorTokens } from '../database/schema.ts';
import { statement } from '../database/statement.ts';

const listHashes = statement('list_operator_hashes', (db) =>
  db
    .select({ hash: operatorTokens.hash })
    .from(operatorTokens)
    .innerJoin(operators, eq(operators.id, operatorTokens.holderId))
    .where(and(isUnexpired(operatorTokens.expiresAt), isActive(operators)))
    .unionAll(
      db
        .select({ hash: operatorSessions.hash })
        .from(operatorSessions)
        .where(gt(operatorSessions.expiresAt, sql`now()`)),
    ),
);

/**
 * Creates the function that reads the hashes of all valid tokens of operators, and of their sessions.
 * There are as many as operators, so this takes no longer than to look up one of them.
 */
export function createHashList(db: Database) {
  return async function readHashes(): Promise<ReadonlySet<string>> {
    return new Set((await listHashes(db)).map(({ hash }) => hash));
  };
}
