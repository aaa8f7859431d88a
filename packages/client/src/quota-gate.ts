import { describeRefusal } from './describe-refusal.ts';
import type { ApiErrorDetails } from './errors/api-error.ts';
import { createQuotaKnowledge, strikeWindowMs } from './quota-knowledge.ts';
import type { Answer } from './response.ts';
import { waitFor } from './wait.ts';

/**
 * How often the client sends one request while the quota is used up. An operator may have ended the
 * ban or raised the limits. Without such a request, the client would not notice for hours.
 */
const lookEveryMs = 60_000;

/**
 * How long a request may still reach the service after its call has timed out or was aborted. Until
 * then, it counts as a request without a response.
 */
const maxTravelMs = 30_000;

/**
 * How long a request counts as one without a response after its connection failed. If it has not
 * reached the service by then, it never will.
 */
const maxTravelAfterFailureMs = 1_000;

/**
 * How often a waiting call checks by itself whether it can be sent. Normally, the end of another
 * call wakes it. On Cloudflare Workers, the other call may vanish with the request for which it was
 * made.
 */
const recheckMs = 5_000;

/**
 * The outcome of a request. If all members are missing, the request timed out, or its signal was
 * aborted.
 */
interface Outcome {
  answer?: Answer | undefined;
  /** The error that `fetch` rejected with. */
  failure?: { cause: unknown } | undefined;
  /** The reason why the client did not send the request, as an error response. */
  refusal?: ApiErrorDetails | undefined;
}

/** A function that sends a request, and reads its response to the last byte. */
type Exchange = (signal: AbortSignal) => Promise<Answer>;

/** The options of one call that passes the gate. */
interface GateOptions {
  /**
   * How long the call may wait for the quota to reset. A call that would have to wait longer is
   * refused immediately.
   */
  maxRetryAfterMs: number;
  /** How long the call waits for its response after the request was sent. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
  /**
   * Called once for each reset that the call waits for. If the call waits for responses to earlier
   * requests, it is called once, 5 seconds or more after the call began.
   */
  onWait?: (wait: Wait) => void;
}

/** The event of a call that waits before it is sent. */
export interface Wait {
  /** How long the call waits at most, in milliseconds. */
  delayMs: number;
  /**
   * Why the call waits: the quota is used up, the key is banned, or earlier requests have no
   * response yet. The last reason is reported if the call began at least 5 seconds ago.
   */
  reason: 'quota' | 'ban' | 'queue';
  /** How many calls with the same key are waiting, including this one. */
  queued: number;
}

/**
 * A function that sends a request as soon as the quota allows it. The returned promise never
 * rejects. All clients of a process that use the same API key and service share one gate.
 */
export type QuotaGate = (exchange: Exchange, options: GateOptions) => Promise<Outcome>;

/**
 * Creates the quota gate of one API key. The gate sends no more requests than the last responses
 * allow. All other calls wait until the quota resets.
 *
 * The gate also limits the number of requests without a response. A browser has only six
 * connections per host, so requests may arrive late. If the quota is used up by then, the service
 * counts them as strikes: denied requests that can lead to a ban.
 */
export function createQuotaGate(): QuotaGate {
  const [quotaAt, maxUnanswered, learn] = createQuotaKnowledge();
  let sentAtMs = 0;
  let sent = 0;
  /** The requests in flight: the number of each request, and the time when it no longer counts. */
  const inFlight = new Map<number, number>();
  /**
   * The requests that ended without a response but may still reach the service: the number of each
   * request, and the time when it no longer counts.
   */
  const lost = new Map<number, number>();
  /**
   * The calls that wait to be sent, in the order of their arrival. The value is the function that
   * wakes the call.
   */
  const waiting = new Map<object, () => void>();

  /**
   * The time before which no request expires. Without this time, each call would have to check all
   * requests, which takes quadratic time in total.
   */
  let soonestMs = Number.POSITIVE_INFINITY;

  /** Records a request, and the time until which it counts. */
  function note(requests: Map<number, number>, number: number, endsAtMs: number) {
    requests.set(number, endsAtMs);
    soonestMs = Math.min(soonestMs, endsAtMs);
  }

  /** Returns how many more requests may be sent now. Removes expired requests first. */
  function freePlaces(now: number): number {
    if (soonestMs < now) {
      soonestMs = Number.POSITIVE_INFINITY;
      for (const requests of [inFlight, lost]) {
        for (const [number, endsAtMs] of requests) {
          if (endsAtMs < now) requests.delete(number);
          else note(requests, number, endsAtMs);
        }
      }
    }
    // With no request in flight, one request is always allowed. Its response shows whether the
    // service has counted the requests that got no response.
    const least = inFlight.size === 0 ? 1 : 0;
    if (quotaAt(now).remaining === 0 && now - sentAtMs < lookEveryMs) return 0;
    return Math.max(least, maxUnanswered(now) - lost.size - inFlight.size);
  }

  /**
   * Wakes the calls that can be sent now. If the quota is used up, all calls wake and decide
   * whether they wait for the reset.
   */
  function wakeFirst() {
    const now = performance.now();
    let count = quotaAt(now).remaining === 0 ? waiting.size : freePlaces(now);
    for (const wake of waiting.values()) {
      if (!(count-- > 0)) return;
      wake();
    }
  }

  /**
   * Returns whether a call is among the `places` calls that have waited longest. Only these may be
   * sent. Otherwise, later calls could overtake a waiting call forever.
   */
  function isAmongFirst(call: object, places: number): boolean {
    for (const other of waiting.keys()) {
      // The negation is also true if `places` is NaN.
      if (!(places-- > 0)) return false;
      if (other === call) return true;
    }
    return false;
  }

  /**
   * Sends a request. The request is counted synchronously, before another call can check the gate.
   */
  async function sendNow(exchange: Exchange, { timeoutMs, signal }: GateOptions): Promise<Outcome> {
    const maxAgeMs = Math.max(timeoutMs, maxTravelMs);
    const wasFirst = inFlight.size === 0;
    const number = ++sent;
    sentAtMs = performance.now();
    note(inFlight, number, sentAtMs + maxAgeMs);
    let outcome: Outcome | undefined;

    function leave(travelMs: number) {
      if (inFlight.delete(number)) note(lost, number, performance.now() + travelMs);
      if (outcome?.answer) {
        lost.delete(number);
        learn(outcome.answer, wasFirst && number === sent);
      }
      wakeFirst();
    }

    // `AbortSignal.any` needs Node 20.3, and leaks memory in some later versions.
    // `AbortSignal.timeout` starts a timer that cannot be stopped.
    const controller = new AbortController();
    function giveUp() {
      controller.abort();
      // The user's own `fetch` may ignore the signal, so the request no longer counts as in flight
      // here.
      leave(maxTravelMs);
    }

    const ended = exchange(controller.signal)
      .then(
        (answer) => ({ answer }),
        (cause: unknown) => ({ failure: { cause } }),
      )
      .then((result) => {
        outcome = result;
        leave(maxTravelAfterFailureMs);
      });
    const onEnd = (end: () => void) => ended.then(end);
    await waitFor(timeoutMs, signal, onEnd);
    if (!outcome) {
      // If too many requests have been given up, this request continues in the background.
      // Otherwise no response would tell the gate that the quota is used up, and each further
      // request could count towards a ban (a strike).
      if (lost.size < maxUnanswered(performance.now())) giveUp();
      else waitFor(maxAgeMs, undefined, onEnd).then(giveUp);
    }
    return outcome ?? {};
  }

  return async (exchange, options) => {
    const { maxRetryAfterMs, timeoutMs, signal, onWait } = options;
    const enteredAtMs = performance.now();
    // A call that never waits for a reset still waits for the responses to earlier requests.
    const patienceMs = Math.max(timeoutMs, maxRetryAfterMs || 0);
    let placeByMs = enteredAtMs + patienceMs;
    let reportedWait = Number.NaN;
    const call = {};
    waiting.set(call, () => {});
    while (!signal?.aborted) {
      const now = performance.now();
      if (isAmongFirst(call, freePlaces(now))) {
        waiting.delete(call);
        return sendNow(exchange, options);
      }
      let waitMs = Math.min(placeByMs - now, recheckMs);
      const quota = quotaAt(now);
      if (quota.remaining === 0) {
        waitMs = quota.endsAtMs - now;
        // The number of windows that begin before the call must be sent. Each window has room for
        // `perMinute` calls from the front of the queue.
        const windows =
          1 + Math.floor((enteredAtMs + maxRetryAfterMs - quota.endsAtMs) / strikeWindowMs);
        if (!isAmongFirst(call, windows * (quota.perMinute || 1e9))) {
          waiting.delete(call);
          // These windows have room only for calls that came earlier. So the service may accept a
          // retry in the window after them.
          if (windows > 0) waitMs += windows * strikeWindowMs;
          return { refusal: describeRefusal(quota, waitMs) };
        }
        placeByMs = quota.endsAtMs + patienceMs;
      } else if (waitMs <= 0) {
        break;
      }
      const { remaining, endsAtMs, code } = quota;
      // The wait is reported for each new reset. A wait for responses to earlier requests is only
      // reported if this call began at least `recheckMs` ago.
      const waitsFor =
        remaining === 0 ? endsAtMs : now - enteredAtMs < recheckMs ? reportedWait : 0;
      if (!Object.is(waitsFor, reportedWait)) {
        reportedWait = waitsFor;
        const delayMs = remaining === 0 ? waitMs : placeByMs - now;
        const ofQuota = code === 'key_temporarily_banned' ? 'ban' : 'quota';
        onWait?.({ delayMs, reason: remaining === 0 ? ofQuota : 'queue', queued: waiting.size });
      }
      await waitFor(waitMs, signal, (wake) => waiting.set(call, wake));
    }
    waiting.delete(call);
    // This call may have been woken in order to be sent. Its place goes to the next call.
    wakeFirst();
    return {};
  };
}
