import type { Suspension } from '@animal-store/admin-contract';
import { hideTokens } from '@animal-store/contract/token-form';
import { type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';

/** The columns of a table whose rows can be suspended. */
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
 * Returns the column values that suspend a row. If the row is already suspended, its time is kept,
 * and its reason changes only if a new reason is given. Tokens in the reason are masked, because
 * operators sometimes paste a leaked token into it.
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

/** The column values that end the suspension of a row. */
export const resumed = { suspendedAt: null, suspensionReason: null };
