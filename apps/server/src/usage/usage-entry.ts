import { type PlanName, planNames } from '@animal-store/contract';

/** The parts of a finished request that the ledger reads. */
export interface UsedRequest {
  /** The key of the request, with the reason if the key is refused. */
  readonly key:
    | { readonly id: string; readonly plan: PlanName; readonly refusal?: unknown }
    | undefined;
  /** The quota decision, with its Unix time in milliseconds; `undefined` if there was none. */
  readonly decision: { readonly decidedAtMs: number } | undefined;
  /** `undefined` for an unknown path or method. */
  readonly operation: { readonly usageCode?: number } | undefined;
  readonly status: number;
  readonly errorCode: string | undefined;
  readonly durationMs: number;
}

/** The number of requests of one kind that a key made in one minute. */
export interface UsageEntry {
  readonly keyId: string;
  /** The code of the plan, by {@link planCode}. */
  readonly plan: number;
  /** The Unix time in minutes. */
  readonly minute: number;
  /** The index in `usageOperations`. */
  readonly operation: number;
  /** The index in `usageOutcomes`. */
  readonly outcome: number;
  readonly requests: number;
  /** The Unix time in milliseconds of the last of these requests. */
  readonly lastAtMs: number;
}

/** Returns the code of a plan in flushes; 0 means a request without a known key. */
export function planCode(plan: PlanName | undefined): number {
  return plan === undefined ? 0 : planNames.indexOf(plan) + 1;
}

/**
 * Returns the id under which the ledger stores the sum over all keys of a plan. With sums, a query
 * about all keys reads no more rows than a query about a single key. No key has such an id, because
 * keys have UUIDs of version 4.
 */
export function totalId(plan: number): string {
  return `00000000-0000-0000-0000-00000000000${plan}`;
}
