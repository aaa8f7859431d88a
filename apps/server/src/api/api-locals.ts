import type { ApiKey } from '../keys/api-key.ts';
import type { QuotaResult } from '../quotas/quota-result.ts';

declare global {
  namespace Express {
    /** What middleware of the public API adds. */
    interface Locals {
      /** The first characters of the token in the request, valid or not. */
      tokenPrefix: string | undefined;
      /** The key of the request, if its token is valid. */
      apiKey: ApiKey | undefined;
      /** The quota decision about the request. */
      decision: QuotaResult | undefined;
    }
  }
}
