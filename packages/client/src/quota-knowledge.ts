import { readTightestWindow, type TightestWindow, unknownWindow } from './read-tightest-window.ts';
import type { Answer } from './response.ts';

// These constants are the ban policy of the service. A test compares them with the contract's.
export const minStrikes = 10;
export const strikeShare = 0.5;
export const strikeWindowMs = 60_000;

// A denial at least one second after the first is a strike, and too many strikes within a minute
// ban the key. The first constant is the number of requests without a response, as a share of the
// strikes that are still allowed. If another process uses up the quota, at most these requests are
// denied. Two processes that share a key stay below the ban even if the quota ends twice within a
// minute and every denial comes late: 2 × (3/8 + 1/8) = 1.
const unansweredShare = 3 / 8;
const unansweredShareAfterDenial = 1 / 8;

/**
 * Responses may come without rate-limit headers, as through a proxy that strips them. Then the
 * number of successes is a lower bound for the limit of a minute. Successes count half as much with
 * each minute: full windows that end or begin now count as 1 + 1 + 1/2 + 1/4 + …, and as 3.5 if
 * responses are half a minute late.
 */
const windowsInSuccesses = 3.5;

/** How many ids of responses are remembered, to recognize a response that comes again. */
const maxSeenIds = 100;

/** What the responses to the requests of one key say about its quota. */
type QuotaKnowledge = [
  /** Returns the window with the least left, by the lowest `remaining`. */
  quotaAt: (now: number) => TightestWindow,
  /** Returns how many requests may be without a response. */
  maxUnanswered: (now: number) => number,
  /**
   * @param wasAlone whether no other request was in flight, so that this response is the latest.
   */
  learn: (answer: Answer, wasAlone: boolean) => void,
];

export function createQuotaKnowledge(): QuotaKnowledge {
  let quota = unknownWindow;
  let deniedAtMs = Number.NEGATIVE_INFINITY;
  let successes = 0;
  let learnedAtMs = 0;
  const seenIds = new Set<string>();

  /**
   * Returns whether a response may come from a cache, such as the data cache of Next.js, which
   * keeps headers. Its `RateLimit` counts from the time when the service sent it, and would close
   * the gate although the quota is free. A denial without signs of a cache is trusted, even if the
   * clock of this machine is wrong.
   */
  function mayBeOld({ response: { headers, status } }: Answer): boolean {
    const id = headers.get('X-Request-Id');
    const isRepeated = id !== null && seenIds.has(id);
    if (id !== null) seenIds.add(id);
    const [oldest] = seenIds;
    if (seenIds.size > maxSeenIds && oldest !== undefined) seenIds.delete(oldest);
    // Only caches send this header (RFC 9111, §5.1).
    if (isRepeated || headers.get('Age') !== null) return true;
    const resetAt = Number(headers.get('X-RateLimit-Reset') ?? Number.NaN);
    return status !== 429 && resetAt * 1_000 <= Date.now();
  }

  return [
    function quotaAt(now) {
      // After a reset, it is unknown how much is left, for example of the day's quota.
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
      if (mayBeOld(answer)) return;
      const seen = readTightestWindow(answer);
      const { ok, status } = answer.response;
      const isDenial = status === 429;
      const now = performance.now();
      if (isDenial) deniedAtMs = now;
      successes = successes / 2 ** ((now - learnedAtMs) / strikeWindowMs) + Number(ok);
      learnedAtMs = now;
      if (
        isDenial ||
        // The response to the only request in flight is the latest of all.
        wasAlone ||
        // A later reset belongs to a later window.
        seen.resetAt > quota.resetAt ||
        // Responses arrive in any order, and the lowest value is the latest.
        (seen.resetAt >= quota.resetAt && seen.remaining < quota.remaining)
      ) {
        quota = seen;
      }
    },
  ];
}
