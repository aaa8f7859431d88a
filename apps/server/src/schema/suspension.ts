import type { Suspension } from '@animal-store/admin-contract';
import { hideTokens } from '@animal-store/contract/token-form';
import { type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';

/** A table whose rows can be suspended. */
interface Suspendable {
  readonly suspendedAt: AnyPgColumn;
  readonly suspensionReason: AnyPgColumn;
}

interface StoredSuspension {
  readonly suspendedAt: string | null;
  readonly suspensionReason: string | null;
}

export function toSuspension(row: StoredSuspension): Suspension | null {
  const { suspendedAt, suspensionReason } = row;
  return suspendedAt === null ? null : { at: suspendedAt, reason: suspensionReason };
}

/**
 * What suspends a row. If it is suspended already, the time stays, and the reason does unless another is
 * given. Operators are tempted to give the token that leaked as a reason, so tokens in it are hidden.
 */
export function suspended(
  table: Suspendable,
  reason: string | undefined,
): { suspendedAt: SQL; suspensionReason: SQL | string } {
  return {
    suspendedAt: sql`coalesce(${table.suspendedAt}, now())`,
    suspensionReason: reason === undefined ? sql`${table.suspensionReason}` : hideTokens(reason),
  };
}

/** What resumes a row. */
export const resumed = { suspendedAt: null, suspensionReason: null };
