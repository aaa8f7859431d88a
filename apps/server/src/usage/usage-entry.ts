import { type PlanName, planNames } from '@animal-store/contract';

/** The properties of a finished request that the usage tables need. */
export interface UsedRequest {
  /** The API key of the request. `refusal` is the reason if the key is refused. */
  readonly key:
    | { readonly id: string; readonly plan: PlanName; readonly refusal?: unknown }
    | undefined;
  /**
   * The quota decision, with its Unix time in milliseconds; `undefined` if no decision was made.
   */
  readonly decision: { readonly decidedAtMs: number } | undefined;
  /** The metadata of the operation in the contract; `undefined` for an unknown path or method. */
  readonly operation: { readonly usageCode?: number } | undefined;
  readonly status: number;
  readonly errorCode: string | undefined;
  readonly durationMs: number;
}

/**
 * The number of requests that an API key made in one minute with the same plan, operation and
 * outcome.
 */
export interface UsageEntry {
  readonly keyId: string;
  /** The code of the plan, as {@link planCode} returns it. */
  readonly plan: number;
  /** The minute as the number of minutes since 1970. */
  readonly minute: number;
  /** The index of the operation in `usageOperations`. */
  readonly operation: number;
  /** The index of the outcome in `usageOutcomes`. */
  readonly outcome: number;
  readonly requests: number;
  /** The Unix time in milliseconds of the last of the counted requests. */
  readonly lastAtMs: number;
}

/**
 * Returns the code of a plan in the usage tables. 0 stands for requests without a known API key.
 */
export function planCode(plan: PlanName | undefined): number {
  return plan === undefined ? 0 : planNames.indexOf(plan) + 1;
}

/**
 * Returns the id under which the usage tables store the sum over all API keys of a plan. With these
 * sums, a query about all keys reads no more rows than a query about one key. Keys have UUIDs of
 * version 4, so no key has such an id.
 */
export function totalId(plan: number): string {
  return `00000000-0000-0000-0000-00000000000${plan}`;
}
