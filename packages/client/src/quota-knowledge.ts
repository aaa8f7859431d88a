import { readTightestWindow, type TightestWindow, unknownWindow } from './read-tightest-window.ts';
import type { Answer } from './response.ts';

// These constants describe the ban policy of the service. A test compares them with the contract.
export const minStrikes = 10;
export const strikeShare = 0.5;
export const strikeWindowMs = 60_000;

// The service counts a 429 as a strike if it comes at least one second after the first 429. Too
// many strikes within a minute ban the API key.
//
// If another process uses up the quota, only requests that this process has already sent can become
// strikes. So the client limits its unanswered requests to a share of the allowed strikes.
//
// The share is 3/8 of the allowed strikes, and 1/8 in the minute after a 429. With these shares, two
// processes can share a key. Suppose that the quota is used up twice within a minute. Each process
// causes at most 3/8 of the allowed strikes the first time, and 1/8 the second time. Both processes
// together cause at most twice this sum, which is all of the allowed strikes.
const unansweredShare = 3 / 8;
const unansweredShareAfterDenial = 1 / 8;

/**
 * A proxy may remove the rate-limit headers. The client then estimates the limit per minute: it
 * sums its successes, and divides the sum by this number. So the estimate is never above the limit.
 *
 * Each minute, the earlier part of the sum is halved. If every window is used up, the sum contains
 * the successes of 1 + 1 + 1/2 + 1/4 + … = 3 windows. If responses are half a minute late, it
 * contains the successes of 3.5 windows.
 */
const windowsInSuccesses = 3.5;

/**
 * The number of responses that the client remembers, to recognize a response that a cache sends
 * again.
 */
const maxSeenResponses = 100;

/**
 * The tolerance for reset times, in milliseconds. The service rounds the reset time to whole
 * seconds, and also the number of seconds until the reset. Replicas without Redis may have slightly
 * different clocks.
 */
const roundingMs = 2_000;

/** The functions that learn the quota of one API key from its responses. */
type QuotaKnowledge = [
  /** Returns the window with the fewest requests left. */
  quotaAt: (now: number) => TightestWindow,
  /** Returns how many unanswered requests there may be at the same time. */
  maxUnanswered: (now: number) => number,
  /**
   * Learns the quota state from a response.
   *
   * @param wasAlone whether no other request was in flight, so that this response is certainly the
   *   latest.
   */
  learn: (answer: Answer, wasAlone: boolean) => void,
];

export function createQuotaKnowledge(): QuotaKnowledge {
  let quota = unknownWindow;
  let deniedAtMs = Number.NEGATIVE_INFINITY;
  let successes = 0;
  let learnedAtMs = 0;
  const seenResponses = new Set<string | null>();

  /**
   * The clock of the service minus the clock of `performance.now()`, in milliseconds. The first
   * value comes from the clock of this machine. A response that shows a larger difference replaces
   * the value. A 429 always replaces it.
   *
   * A smaller difference is ignored, because the response may come from a cache. The seconds in the
   * `RateLimit` of a cached response count from the time when the service sent it, so the
   * difference would be too small.
   */
  let clockMs = Date.now() - performance.now();

  /**
   * Returns whether a response comes from a cache, such as the data cache of Next.js. A cached
   * response has the same headers as the original one.
   *
   * The `X-Request-Id` alone does not identify a response. A caller or a proxy may send the same id
   * with each request, and the service returns this id. But each fresh response has another
   * `RateLimit`, because its number of remaining requests or its reset time differs.
   */
  function isCached({ response: { headers } }: Answer): boolean {
    const id = headers.get('X-Request-Id');
    const identity = id && id + headers.get('RateLimit');
    const isRepeated = seenResponses.has(identity);
    if (identity && seenResponses.add(identity).size > maxSeenResponses) {
      seenResponses.delete([...seenResponses][0] ?? '');
    }
    // A response with an `Age` of at least 1 comes from a cache (RFC 9111, §5.1). Some proxies, such
    // as Varnish, send `Age: 0` with each fresh response.
    return isRepeated || Number(headers.get('Age')) > 0;
  }

  return [
    function quotaAt(now) {
      // When the known window has reset, the state of the other window is still unknown. So all
      // requests are allowed until the next response.
      if (quota.endsAtMs <= now) quota = { ...unknownWindow, limit: quota.limit };
      return quota;
    },

    function maxUnanswered(now) {
      const perMinute = quota.perMinute || successes / windowsInSuccesses;
      const strikes = Math.max(minStrikes, perMinute * strikeShare);
      const share =
        now - deniedAtMs < strikeWindowMs ? unansweredShareAfterDenial : unansweredShare;
      return Math.min(Math.floor(strikes * share), quota.remaining, quota.limit);
    },

    function learn(answer, wasAlone) {
      if (isCached(answer)) return;
      const seen = { ...readTightestWindow(answer) };
      const { ok, status } = answer.response;
      const isDenial = status === 429;
      const now = performance.now();
      const resetMs = Number(seen.resetAt);
      // A 429 shows that the client did not wait long enough. So the client forgets the clock
      // difference that it knew, because the difference must have been wrong.
      clockMs = Math.max(isDenial ? 0 : clockMs, resetMs - seen.endsAtMs);
      // A response about a window that has already reset must come from a cache, so it is ignored.
      if (!isDenial && resetMs > 0 && resetMs - clockMs <= now) return;
      seen.endsAtMs = Math.min(seen.endsAtMs, resetMs - clockMs + roundingMs);
      if (isDenial) deniedAtMs = now;
      successes = successes / 2 ** ((now - learnedAtMs) / strikeWindowMs) + Number(ok);
      learnedAtMs = now;
      if (
        isDenial ||
        // The response to the only request in flight is the latest response.
        wasAlone ||
        // A response with a later reset time describes a later window, so it replaces the known
        // state.
        seen.resetAt > quota.resetAt ||
        // Responses may arrive in any order. Within one window, the response with the fewest
        // remaining requests is the latest one.
        (seen.resetAt >= quota.resetAt && seen.remaining < quota.remaining)
      ) {
        quota = seen;
      }
    },
  ];
}
