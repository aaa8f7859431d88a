import type { AccountPlan } from '@animal-store/admin-contract';
import { type PlanName, plans, type Quota, type Scope } from '@animal-store/contract';
import type { apiKeys } from '../schema/schema.ts';

/** The plan that applies to a key. */
export interface AppliedPlan {
  /**
   * The account that the plan belongs to and whose quota the key shares; `undefined` if the plan is
   * the key's own.
   */
  readonly accountId: string | undefined;
  readonly plan: PlanName;
  readonly quota: Quota;
}

/** An API key as the request path sees it. */
export interface ApiKey extends AppliedPlan {
  readonly id: string;
  /**
   * The account's name, which operators choose. The account may have a plan, or be only a label.
   */
  readonly account: string | null;
  readonly scopes: readonly Scope[];
  /**
   * Why requests with this token are refused, if they are. `suspended`: the key or its account is
   * suspended. `ended`: the key is revoked or expired, or the token was replaced. Callers with an
   * ended key get the response for an unknown token.
   */
  readonly refusal: 'suspended' | 'ended' | undefined;
  /**
   * When the token expires; `undefined` if it never expires or has ended. A rotated token may
   * expire before its key.
   */
  readonly expiresAt: Date | undefined;
}

/**
 * The plan of a key. Enterprise keys require a quota of their own; other keys must not have one.
 */
export type PlanChoice = Exclude<AccountPlan, { plan: null }>;

/** A key's plan as stored. Only Enterprise keys have values in `perMinute` and `perDay`. */
export type StoredPlan = Pick<typeof apiKeys.$inferSelect, 'plan' | 'perMinute' | 'perDay'>;

export function quotaOf(key: StoredPlan): Quota {
  const quota = plans[key.plan];
  if (quota !== undefined) return quota;
  // A check constraint of the table requires both values for Enterprise keys.
  if (key.perMinute === null || key.perDay === null) {
    throw new TypeError('An Enterprise key lacks its quota.');
  }
  return { perMinute: key.perMinute, perDay: key.perDay };
}

export function storedPlan({ plan, quota }: PlanChoice): StoredPlan {
  return { plan, perMinute: quota?.perMinute ?? null, perDay: quota?.perDay ?? null };
}
