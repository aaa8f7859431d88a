import { and, gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';

/**
 * Returns the SQL condition that an API key, an operator or a token has not expired, by the clock
 * of the database.
 */
export function isUnexpired(expiresAt: AnyPgColumn) {
  return or(isNull(expiresAt), gt(expiresAt, sql`now()`));
}

/**
 * Returns the SQL condition that a row has not expired at this moment. `now()` is not used, because
 * it returns the start of the transaction. The row may have expired since then, while the
 * transaction waited for a lock.
 */
export function isUnexpiredAfterLock(expiresAt: AnyPgColumn) {
  return or(isNull(expiresAt), gt(expiresAt, sql`clock_timestamp()`));
}

/** The columns that determine whether an API key or an operator is active. */
interface Lifetime {
  readonly expiresAt: AnyPgColumn;
  readonly revokedAt: AnyPgColumn;
}

/**
 * Returns the SQL condition that an API key or an operator is active, by the clock of the database.
 */
export function isActive({ expiresAt, revokedAt }: Lifetime) {
  return and(isNull(revokedAt), isUnexpired(expiresAt));
}

/**
 * Returns the SQL expression for the state of an API key or an operator, by the clock of the
 * database.
 *
 * @param valid the state of a row that is neither revoked nor expired.
 */
export function stateOf<Valid extends string = 'active'>(
  table: Lifetime,
  valid: SQL<Valid> = sql`'active'`,
): SQL<Valid | 'expired' | 'revoked'> {
  return sql`case when ${table.revokedAt} is not null then 'revoked' when ${table.expiresAt} <= now() then 'expired' else ${valid} end`;
}

/** Returns the column values that revoke a row. The time of an earlier revocation is kept. */
export function revoked({ revokedAt }: Lifetime): { revokedAt: SQL } {
  return { revokedAt: sql`coalesce(${revokedAt}, now())` };
}
