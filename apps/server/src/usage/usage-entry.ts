import { type PlanName, planNames } from '@animal-store/contract';
import type { UsageOutcome } from '@animal-store/contract/admin';

export type { UsageOutcome };

/** What the ledger reads of a finished request. */
export interface UsedRequest {
  /** `undefined` for a request without a valid key. */
  readonly apiKey: { readonly id: string; readonly plan: PlanName } | undefined;
  /** The decision of a quota, with its Unix time in milliseconds; `undefined` if there was none. */
  readonly decision: { readonly decidedAtMs: number } | undefined;
  /** `undefined` for an unknown path or method. */
  readonly operation: { readonly usageCode?: number } | undefined;
  readonly status: number;
  readonly errorCode: string | undefined;
}

/** How many requests of one kind a key has made in one minute. */
export interface UsageEntry {
  readonly keyId: string;
  /** See {@link planCode}. */
  readonly plan: number;
  /** Unix time in minutes. */
  readonly minute: number;
  /** The place in `usageOperations`. */
  readonly operation: number;
  /** The place in `usageOutcomes`. */
  readonly outcome: number;
  readonly requests: number;
}

/** How the tables hold a plan; 0 stands for a request without a valid key. */
export function planCode(plan: PlanName | undefined): number {
  return plan === undefined ? 0 : planNames.indexOf(plan) + 1;
}

/**
 * The id under which the tables hold the sum over all keys of a plan, so that a question about all
 * keys reads no more rows than one about a single key. No key has such an id: keys have version 4.
 */
export function totalId(plan: number): string {
  return `00000000-0000-0000-0000-00000000000${plan}`;
}

/** The ids of the sums over all keys: of requests without a key, and of each plan. */
export const totalIds: readonly string[] = [undefined, ...planNames].map((plan) =>
  totalId(planCode(plan)),
);
