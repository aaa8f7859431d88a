import type { ApiKey } from '../keys/api-key.ts';
import type { QuotaResult } from '../quotas/quota-result.ts';

declare global {
  namespace Express {
    /** What the steps of the public API add. */
    interface Locals {
      /** The first characters of the token that the request brings, valid or not. */
      tokenPrefix: string | undefined;
      /** The key that the request brings, if it is valid. */
      apiKey: ApiKey | undefined;
      /** How the request was counted. */
      decision: QuotaResult | undefined;
    }
  }
}
