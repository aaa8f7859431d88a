import { type PlanName, planNames } from '@animal-store/contract';

/** What the ledger reads of a finished request. */
export interface UsedRequest {
  /** Its key, with why that is refused if it is. */
  readonly key:
    | { readonly id: string; readonly plan: PlanName; readonly refusal?: unknown }
    | undefined;
  /** The decision of a quota, with its Unix time in milliseconds; `undefined` if there was none. */
  readonly decision: { readonly decidedAtMs: number } | undefined;
  /** `undefined` for an unknown path or method. */
  readonly operation: { readonly usageCode?: number } | undefined;
  readonly status: number;
  readonly errorCode: string | undefined;
  readonly durationMs: number;
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
  /** Unix time in milliseconds of the last of them. */
  readonly lastAtMs: number;
}

/** How flushes hold a plan; 0 stands for a request without a known key. */
export function planCode(plan: PlanName | undefined): number {
  return plan === undefined ? 0 : planNames.indexOf(plan) + 1;
}

/**
 * The id under which the ledger holds the sum over all keys of a plan, so that a question about all
 * keys reads no more rows than one about a single key. No key has such an id: keys have version 4.
 */
export function totalId(plan: number): string {
  return `00000000-0000-0000-0000-00000000000${plan}`;
}
