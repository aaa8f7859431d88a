import { readTightestWindow, type TightestWindow, unknownWindow } from './read-tightest-window.ts';
import type { Answer } from './response.ts';

// The ban policy of the service: a test compares these with the contract's.
export const minStrikes = 10;
export const strikeShare = 0.5;
export const strikeWindowMs = 60_000;

// A denial at least one second after the first is a strike, and more than so many strikes within a
// minute ban the key. How many requests may be without an answer, as a share of the strikes that do
// not ban the key yet. If another process uses up the quota, at most these are denied. Two processes
// that share a key stay below the ban even if the quota ends twice within a minute and every denial
// comes late: 2 × (3/8 + 1/8) = 1.
const unansweredShare = 3 / 8;
const unansweredShareAfterDenial = 1 / 8;

/**
 * Answers may come without rate-limit headers, as through a proxy that strips them. Then the successes,
 * which count half as much with each minute, tell the least that the minute's limit can be. Full windows
 * that end or begin now count as 1 + 1 + 1/2 + 1/4 + …, and as 3.5 if answers are half a minute late.
 */
const windowsInSuccesses = 3.5;

/** So many ids of answers are remembered, to recognize an answer that is given again. */
const maxSeenIds = 100;

/** What the answers to the requests of one key say about its quota. */
type QuotaKnowledge = [
  /** Gives the window that has least left, as of the lowest `remaining`. */
  quotaAt: (now: number) => TightestWindow,
  /** Gives how many requests may be without an answer. */
  maxUnanswered: (now: number) => number,
  /** @param wasAlone whether no other request was on its way, so that this answer is the latest. */
  learn: (answer: Answer, wasAlone: boolean) => void,
];

export function createQuotaKnowledge(): QuotaKnowledge {
  let quota = unknownWindow;
  let deniedAtMs = Number.NEGATIVE_INFINITY;
  let successes = 0;
  let learnedAtMs = 0;
  const seenIds = new Set<string>();

  /**
   * Whether an answer may come from a cache, such as the data cache of Next.js, which keeps headers. Its `RateLimit`
   * counts from the time when the service sent it, and would close the gate although the quota is free. A denial
   * without signs of a cache is believed even if the clock of this machine is wrong.
   */
  function mayBeOld({ response: { headers, status } }: Answer): boolean {
    const id = headers.get('X-Request-Id');
    const isRepeated = id !== null && seenIds.has(id);
    if (id !== null) seenIds.add(id);
    const [oldest] = seenIds;
    if (seenIds.size > maxSeenIds && oldest !== undefined) seenIds.delete(oldest);
    // RFC 9111, §5.1: only caches send it.
    if (isRepeated || headers.get('Age') !== null) return true;
    const resetAt = Number(headers.get('X-RateLimit-Reset') ?? Number.NaN);
    return status !== 429 && resetAt * 1_000 <= Date.now();
  }

  return [
    function quotaAt(now) {
      // After a reset nobody knows how much is left, say of the day's quota.
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
        // An answer to the only request is the latest of all.
        wasAlone ||
        // A later reset is that of a later window.
        seen.resetAt > quota.resetAt ||
        // Answers arrive in any order, and the lowest is the latest.
        (seen.resetAt >= quota.resetAt && seen.remaining < quota.remaining)
      ) {
        quota = seen;
      }
    },
  ];
}
