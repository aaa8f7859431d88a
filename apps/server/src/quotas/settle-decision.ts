import { RateLimiterRes } from 'rate-limiter-flexible';

/**
 * Gives the result of a limiter whether it admitted the request or not. The library's limiters reject
 * with the result of a request that they do not admit.
 */
export async function settleDecision(decided: Promise<RateLimiterRes>) {
  try {
    return { isAdmitted: true, result: await decided };
  } catch (reason) {
    if (reason instanceof RateLimiterRes) return { isAdmitted: false, result: reason };
    throw reason;
  }
}
