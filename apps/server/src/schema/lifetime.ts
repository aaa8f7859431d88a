import { and, gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';

/** The condition that a key, an operator or a token has not expired, by the database's clock. */
export function isUnexpired(expiresAt: AnyPgColumn) {
  return or(isNull(expiresAt), gt(expiresAt, sql`now()`));
}

/**
 * The same at this very moment. `now()` is the start of the transaction: what a transaction has waited for may have
 * ended the token since.
 */
export function isStillUnexpired(expiresAt: AnyPgColumn) {
  return or(isNull(expiresAt), gt(expiresAt, sql`clock_timestamp()`));
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

/**
 * The state of a key or an operator, by the same clock.
 *
 * @param valid the state of one that is neither revoked nor expired.
 */
export function stateOf<Valid extends string = 'active'>(
  table: Lifetime,
  valid: SQL<Valid> = sql`'active'`,
): SQL<Valid | 'expired' | 'revoked'> {
  return sql`case when ${table.revokedAt} is not null then 'revoked' when ${table.expiresAt} <= now() then 'expired' else ${valid} end`;
}

/** What revokes a row. The time of an earlier revocation stays. */
export function revoked({ revokedAt }: Lifetime): { revokedAt: SQL } {
  return { revokedAt: sql`coalesce(${revokedAt}, now())` };
}
