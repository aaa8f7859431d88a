import type { AccountPlan } from '@animal-store/admin-contract';
import { type PlanName, plans, type Quota, type Scope } from '@animal-store/contract';
import type { apiKeys } from '../schema/schema.ts';

/** The plan that applies to an API key. */
export interface AppliedPlan {
  /**
   * The account whose quota the API key shares, because the plan belongs to the account.
   * `undefined` if the key has its own plan.
   */
  readonly accountId: string | undefined;
  readonly plan: PlanName;
  readonly quota: Quota;
}

/** The properties of an API key that a request needs. */
export interface ApiKey extends AppliedPlan {
  readonly id: string;
  /**
   * The account's name, which operators choose. If the account has no plan, the name is only a
   * label of the API key.
   */
  readonly account: string | null;
  readonly scopes: readonly Scope[];
  /**
   * The reason why requests with the token are refused; `undefined` if they are accepted.
   * `suspended` means that the API key or its account is suspended. `ended` means that the key is
   * revoked or expired, or that the token was replaced. A caller whose token has ended gets the
   * same response as for an unknown token.
   */
  readonly refusal: 'suspended' | 'ended' | undefined;
  /**
   * The time when the token expires. `undefined` if the token never expires, or if `refusal` is
   * `ended`. A token that was replaced in a rotation may expire before its API key.
   */
  readonly expiresAt: Date | undefined;
}

/**
 * The plan of an API key. Enterprise keys must have their own quota, and other keys must not have
 * one.
 */
export type PlanChoice = Exclude<AccountPlan, { plan: null }>;

/**
 * The columns of an API key's plan. Only Enterprise keys have values in `perMinute` and `perDay`.
 */
export type StoredPlan = Pick<typeof apiKeys.$inferSelect, 'plan' | 'perMinute' | 'perDay'>;

export function quotaOf(key: StoredPlan): Quota {
  const quota = plans[key.plan];
  if (quota !== undefined) return quota;
  // The error cannot occur, because a check constraint of the table requires both values for
  // Enterprise keys.
  if (key.perMinute === null || key.perDay === null) {
    throw new TypeError(
      'An Enterprise API key in the database has no limits. Set the columns per_minute and per_day of the key in the table api_keys.',
    );
  }
  return { perMinute: key.perMinute, perDay: key.perDay };
}

export function storedPlan({ plan, quota }: PlanChoice): StoredPlan {
  return { plan, perMinute: quota?.perMinute ?? null, perDay: quota?.perDay ?? null };
}
