import { type PlanName, plans, type Quota } from '@animal-store/contract';

/** What a valid API key stands for. */
export interface ApiKey {
  readonly id: string;
  readonly name: string | null;
  readonly plan: PlanName;
  /** The plan's numbers, or an Enterprise key's own. */
  readonly quota: Quota;
  /** When it stops being good, if ever; a rotated token of it may stop sooner than the key. */
  readonly expiresAt: Date | undefined;
}

/** The plan of a key. Only Enterprise keys bring their own numbers, and they must. */
export type PlanChoice =
  | { readonly plan: Exclude<PlanName, 'enterprise'>; readonly quota?: undefined }
  | { readonly plan: 'enterprise'; readonly quota: Quota };

/** Who a new key is for, and for how long. */
export type NewApiKey = PlanChoice & {
  readonly name?: string | undefined;
  /** The operator's own reference, such as a customer number. */
  readonly account?: string | undefined;
  readonly expiresAt?: Date | undefined;
};

/** A key's plan as its row holds it: with numbers if it is Enterprise, and only then. */
export interface StoredPlan {
  readonly plan: PlanName;
  readonly perMinute: number | null;
  readonly perDay: number | null;
}

/** The numbers that hold for a key. */
export function quotaOf(key: StoredPlan): Quota {
  const quota = plans[key.plan];
  if (quota !== undefined) return quota;
  // The table's check constraint gives every Enterprise key both.
  if (key.perMinute === null || key.perDay === null) {
    throw new TypeError('An Enterprise key lacks its quota.');
  }
  return { perMinute: key.perMinute, perDay: key.perDay };
}

/** What a row holds of a plan. */
export function storedPlan({ plan, quota }: PlanChoice): StoredPlan {
  return { plan, perMinute: quota?.perMinute ?? null, perDay: quota?.perDay ?? null };
}
