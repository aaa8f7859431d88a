import { type PlanName, plans, type Quota } from '@animal-store/contract';

/** What a valid API key stands for. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly plan: PlanName;
  /** The plan's numbers, or an Enterprise key's own. */
  readonly quota: Quota;
  /** When it stops being good, if ever; a rotated token of it may stop sooner than the key. */
  readonly expiresAt: Date | undefined;
}

/** Who a new key is for. Only Enterprise keys bring their own numbers, and they must. */
export type NewApiKey =
  | { readonly name: string; readonly plan: Exclude<PlanName, 'enterprise'> }
  | { readonly name: string; readonly plan: 'enterprise'; readonly quota: Quota };

/** The numbers that hold for a key. */
export function quotaOf(key: {
  plan: PlanName;
  perMinute: number | null;
  perDay: number | null;
}): Quota {
  const quota = plans[key.plan];
  if (quota !== undefined) return quota;
  // The table's check constraint gives every Enterprise key both.
  if (key.perMinute === null || key.perDay === null) {
    throw new TypeError('An Enterprise key lacks its quota.');
  }
  return { perMinute: key.perMinute, perDay: key.perDay };
}
