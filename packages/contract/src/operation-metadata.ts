import type { Deprecation } from './deprecations.ts';
import type { Scope } from './scope.ts';

/**
 * The properties of an operation besides its schemas: the `metadata` of its route in a contract.
 */
export interface OperationMetadata {
  /** The name of the operation, the same as in its contract. */
  readonly operation: string;
  readonly stability: 'stable' | 'beta' | 'experimental';
  /** The scope that a key needs to call it. */
  readonly scope: Scope;
  /**
   * The number of the operation in the usage ledger, one more than the last. The database stores
   * it: never change a number, and never reuse one. 0 is `none`.
   */
  readonly usageCode: number;
  /**
   * What requests with a key count against: the quota of the key, or the allowance of requests for
   * its status.
   */
  readonly quota: 'key' | 'status';
  /** Its planned end, if there is one. */
  readonly deprecation?: Deprecation;
}

/** Routes with complete metadata, each under its own name. */
export type DescribedRoutes<Name extends string> = {
  readonly [Key in Name]: { readonly metadata: OperationMetadata & { readonly operation: Key } };
};
