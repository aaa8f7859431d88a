import type { Actor } from '../operators/operator-lookup.ts';

declare global {
  namespace Express {
    /** What the steps of the operators' listener add. */
    interface Locals {
      /** Who sends a request to the admin API. */
      actor?: Actor | undefined;
      /** The token that says so: an operator's, a session's, or the `ADMIN_TOKEN`. */
      token?: string | undefined;
      /** The key that a request is about. */
      keyId?: string | undefined;
      /** The account that a request is about. It is no token. */
      account?: string | undefined;
      /** The reasons that `/readyz` gave for `not_ready` or `degraded`. */
      reasons?: readonly string[] | undefined;
    }
  }
}
