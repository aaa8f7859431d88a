import type { Deprecation } from './deprecations.ts';
import type { Scope } from './scope.ts';

/** The `metadata` of an operation's route in a contract: all properties besides its schemas. */
export interface OperationMetadata {
  /** The name of the operation. It equals the name of the route in the contract. */
  readonly operation: string;
  readonly stability: 'stable' | 'beta' | 'experimental';
  /** The scope that an API key needs to call the operation. */
  readonly scope: Scope;
  /**
   * The number that stands for the operation in the usage tables of the database. A new operation
   * gets the next number. Never change or reuse a number, because the database stores it. 0 means
   * `none`.
   */
  readonly usageCode: number;
  /**
   * The limit that requests with an API key count against: the quota of the key, or the separate
   * limit for requests that only read the quota state.
   */
  readonly quota: 'key' | 'status';
  /** The planned removal of the operation, if it is deprecated. */
  readonly deprecation?: Deprecation;
}

/**
 * The routes of a contract. Each route has complete metadata, and the name in the metadata equals
 * the name of the route.
 */
export type DescribedRoutes<Name extends string> = {
  readonly [Key in Name]: { readonly metadata: OperationMetadata & { readonly operation: Key } };
};
