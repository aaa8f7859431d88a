import { and, gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';

/** The condition that a key, an operator or a token has not expired, by the database's clock. */
export function isUnexpired(expiresAt: AnyPgColumn) {
  return or(isNull(expiresAt), gt(expiresAt, sql`now()`));
}

/** What keys and operators have. */
interface Lifetime {
  readonly expiresAt: AnyPgColumn;
  readonly revokedAt: AnyPgColumn;
}

/** The condition that a key or an operator is active, by the same clock. */
export function isActive({ expiresAt, revokedAt }: Lifetime) {
  return and(isNull(revokedAt), isUnexpired(expiresAt));
}

/** The state of a key or an operator, by the same clock. */
export function stateOf(table: Lifetime): SQL<'active' | 'expired' | 'revoked'> {
  return sql`case when ${table.revokedAt} is not null then 'revoked' when ${table.expiresAt} <= now() then 'expired' else 'active' end`;
}
