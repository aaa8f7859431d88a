import type { AccountPlan } from '@animal-store/admin-contract';
import { type PlanName, plans, type Quota, type Scope } from '@animal-store/contract';
import type { apiKeys } from '../schema/schema.ts';

/** The plan that holds for a key. */
export interface AppliedPlan {
  /** The account whose plan it is, and whose quota the key shares; `undefined` if it is the key's own. */
  readonly accountId: string | undefined;
  readonly plan: PlanName;
  readonly quota: Quota;
}

/** An API key, as requests with one of its tokens meet it. */
export interface ApiKey extends AppliedPlan {
  readonly id: string;
  /** The operators' reference. It may be a label, or have a plan. */
  readonly account: string | null;
  readonly scopes: readonly Scope[];
  /**
   * Why its requests are refused, if they are. `suspended`: until it, or its account, is resumed. `ended`: it is
   * revoked or expired, or this token was replaced. Then callers learn no more than of an unknown token.
   */
  readonly refusal: 'suspended' | 'ended' | undefined;
  /** When it expires, if ever. A rotated token may expire before its key. `undefined` if it has ended. */
  readonly expiresAt: Date | undefined;
}

/** The plan of a key. Enterprise keys need their own numbers; other keys have none. */
export type PlanChoice = Exclude<AccountPlan, { plan: null }>;

/** A key's plan as stored. Only Enterprise keys have numbers. */
export type StoredPlan = Pick<typeof apiKeys.$inferSelect, 'plan' | 'perMinute' | 'perDay'>;

export function quotaOf(key: StoredPlan): Quota {
  const quota = plans[key.plan];
  if (quota !== undefined) return quota;
  // The table's check constraint gives every Enterprise key both.
  if (key.perMinute === null || key.perDay === null) {
    throw new TypeError('An Enterprise key lacks its quota.');
  }
  return { perMinute: key.perMinute, perDay: key.perDay };
}

export function storedPlan({ plan, quota }: PlanChoice): StoredPlan {
  return { plan, perMinute: quota?.perMinute ?? null, perDay: quota?.perDay ?? null };
}
