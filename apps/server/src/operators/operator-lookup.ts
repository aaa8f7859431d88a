import type { AuditEntry, OperatorRole } from '@animal-store/contract/admin';
import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { isActive, isUnexpired } from '../database/lifetime.ts';
import { operators, operatorTokens } from '../database/schema.ts';
import { execution, oneRow, preparedStatement } from '../database/statement.ts';
import { hashToken } from '../keys/token.ts';

/** Who sends a request to the admin API. */
export type Actor = AuditEntry['actor'] & { readonly role: OperatorRole };

/** The holder of the `ADMIN_TOKEN`: an owner, so that the first operator can be created. */
export const bootstrap: Actor = {
  type: 'admin_token',
  id: null,
  name: 'ADMIN_TOKEN',
  role: 'owner',
};

const findOperatorByToken = preparedStatement('find_operator_by_token', (db) =>
  db
    .select({
      operator: { id: operators.id, name: operators.name, role: operators.role },
      execution,
    })
    .from(oneRow)
    .leftJoin(
      operatorTokens,
      and(eq(operatorTokens.hash, sql.placeholder('hash')), isUnexpired(operatorTokens.expiresAt)),
    )
    .leftJoin(operators, and(eq(operators.id, operatorTokens.holderId), isActive(operators))),
);

/**
 * Creates the function that looks up the operator of a token. Nothing is cached: operators send few
 * requests, and a revocation then holds on every replica at once.
 *
 * @returns from the function, `undefined` if the token is unknown, expired or revoked.
 */
export function createOperatorLookup(db: Database) {
  return async function findByToken(token: string): Promise<Actor | undefined> {
    const [row] = await findOperatorByToken(db, { hash: hashToken(token) });
    return row?.operator ? { type: 'operator', ...row.operator } : undefined;
  };
}
