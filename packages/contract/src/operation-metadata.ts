import type { Deprecation } from './deprecations.ts';
import type { Scope } from './scope.ts';

/** What differs by operation beside its schemas: the `metadata` of its route in a contract. */
export interface OperationMetadata {
  /** The name of the operation, the same as in its contract. */
  readonly operation: string;
  readonly stability: 'stable' | 'beta' | 'experimental';
  /** What a key must be allowed to do, to call it. */
  readonly scope: Scope;
  /**
   * The number that stands for the operation in the usage ledger, one more than the last. The database
   * keeps it: never change one, and never give one to another operation. 0 is `none`.
   */
  readonly usageCode: number;
  /** What requests of keys count against: the quota of the key, or the allowance of requests for its status. */
  readonly quota: 'key' | 'status';
  /** Its planned end, if there is one. */
  readonly deprecation?: Deprecation;
}

/** Routes that have all of their metadata, each under its own name. */
export type DescribedRoutes<Name extends string> = {
  readonly [Key in Name]: { readonly metadata: OperationMetadata & { readonly operation: Key } };
};
