/**
 * The number of requests that an API key may make in each window of 60 s, and in each window of
 * 86,400 s.
 */
export interface Quota {
  perMinute: number;
  perDay: number;
}

/** The largest limit of requests per window. The database stores limits as 32-bit integers. */
export const maxLimit: number = 2 ** 31 - 1;

/** The names of all plans, ordered by the size of their quota. */
export const planNames = ['free', 'pro', 'business', 'enterprise'] as const;

/** The name of a plan. */
export type PlanName = (typeof planNames)[number];

/**
 * The plans and their quotas. Enterprise has no fixed quota: its limits are agreed with each
 * customer, and stored with the API key.
 */
export const plans = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: undefined,
} as const satisfies Record<PlanName, Quota | undefined>;
