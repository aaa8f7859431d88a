import type { Operator } from './authenticate-operator.ts';

declare global {
  namespace Express {
    /** What the steps of the operators' listener add. */
    interface Locals {
      /** Who sends a request to the admin API. `undefined` until the admission has found it. */
      operator?: Operator | undefined;
      /** The key that a request is about. */
      keyId?: string | undefined;
      /** The account that a request is about. It is no token. */
      account?: string | undefined;
      /** The reasons that `/readyz` gave for `not_ready` or `degraded`. */
      reasons?: readonly string[] | undefined;
    }
  }
}
