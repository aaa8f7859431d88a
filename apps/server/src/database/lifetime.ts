import { gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';

/** The condition that a key, an operator or a token has not expired, by the database's clock. */
export function isUnexpired(expiresAt: AnyPgColumn) {
  return or(isNull(expiresAt), gt(expiresAt, sql`now()`));
}

/** The state of a key or an operator, by the same clock. */
export function stateOf(table: {
  expiresAt: AnyPgColumn;
  revokedAt: AnyPgColumn;
}): SQL<'active' | 'expired' | 'revoked'> {
  return sql`case when ${table.revokedAt} is not null then 'revoked' when ${table.expiresAt} <= now() then 'expired' else 'active' end`;
}
