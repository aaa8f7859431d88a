import { rateLimitHeaders } from '@animal-store/contract';
import { RateLimitError } from './errors/rate-limit-error.ts';
import { addJitter } from './retry-delay.ts';
import { untilAborted, waitFor } from './wait.ts';

/**
 * How often a request goes although the gate is closed for longer than anybody waits: an operator
 * may have lifted the ban or raised the quota, and the client would not hear of it for hours.
 */
const scoutEveryMs = 60_000;

/** A time without requests, which a 429 began. */
interface Closing {
  readonly error: RateLimitError;
  readonly lengthMs: number;
  /** Moves back with a clock that is set back. */
  endsAtMs: number;
  /** Settles when the one request that went after this closing has its answer. */
  scout?: Promise<void> | undefined;
}

/** What the gate needs to know of a call. */
export interface Passer {
  /** A closing that the call has waited for already. */
  waited: Closing | undefined;
  /** How many more closings it waits for before it gives up; the gate counts down. */
  waitsLeft: number;
  signal: AbortSignal | undefined;
}

/** Tells the gate that a request has ended; whether by its signal, so that nothing is known. */
type Leave = (aborted: boolean) => void;

/**
 * Holds back the calls of a client after a 429, because a denied request that is repeated is a
 * strike, and enough of them ban the key. When the time is up one request goes first, and the others
 * only after its answer: it may be that a greater window is used up as well.
 */
export interface RateLimitGate {
  /** Closes the gate for as long as the answer asks. */
  close(error: RateLimitError): Closing | undefined;
  /**
   * Waits until a request may go.
   *
   * @returns what to call when it has ended.
   * @throws {RateLimitError} if that would take too long.
   * @throws {AbortError} as soon as the signal aborts.
   */
  pass(passer: Passer): Promise<Leave | undefined>;
}

/** Creates a gate at which nobody waits for a closing that has more than `maxWaitMs` to go. */
export function createRateLimitGate(maxWaitMs: number): RateLimitGate {
  let current: Closing | undefined;

  function sendScout(closing: Closing): Leave {
    let settle = () => {};
    closing.scout = new Promise((resolve) => {
      settle = resolve;
    });
    return (aborted) => {
      // Unless its answer closed the gate again, everybody goes; without an answer, another scout.
      if (aborted) closing.scout = undefined;
      else if (current === closing) current = undefined;
      settle();
    };
  }

  return {
    close(error) {
      const lengthMs = error.retryAfterMs;
      if (lengthMs === undefined) return undefined;
      current = { error, lengthMs, endsAtMs: Date.now() + lengthMs };
      return current;
    },

    async pass(passer) {
      const { signal } = passer;
      while (current !== undefined) {
        const closing = current;
        const now = Date.now();
        // Never longer than the closing itself, wherever the clock is set in the meantime.
        closing.endsAtMs = Math.min(closing.endsAtMs, now + closing.lengthMs);
        const remainingMs = closing.endsAtMs - now;
        const isTooLong = closing.error.banned || !(remainingMs <= maxWaitMs);
        const isScoutDue = isTooLong && closing.lengthMs - remainingMs >= scoutEveryMs;
        if (closing === passer.waited || remainingMs <= 0 || isScoutDue) {
          const { scout } = closing;
          if (scout === undefined) return sendScout(closing);
          await untilAborted<void>(signal, (resolve) => {
            scout.then(resolve);
            return () => {};
          });
        } else {
          if (isTooLong || !(passer.waitsLeft-- > 0)) throw notSent(closing.error, remainingMs);
          await waitFor(addJitter(remainingMs), signal);
          passer.waited = closing;
        }
      }
      return undefined;
    },
  };
}

/** The 429 that closed the gate, told again to a call that came later. */
function notSent({ code, message, headers }: RateLimitError, remainingMs: number): RateLimitError {
  const later = new Headers(headers);
  later.set(rateLimitHeaders.retryAfter, String(Math.ceil(remainingMs / 1000)));
  return new RateLimitError({
    status: 429,
    code,
    message: `not sent, because of an earlier answer: ${message}`,
    headers: later,
  });
}
