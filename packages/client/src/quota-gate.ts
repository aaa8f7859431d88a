import { describeRefusal } from './describe-refusal.ts';
import type { ApiErrorDetails } from './errors/api-error.ts';
import { createQuotaKnowledge, strikeWindowMs } from './quota-knowledge.ts';
import type { Answer } from './response.ts';
import { createUnansweredRequests } from './unanswered-requests.ts';
import { waitFor } from './wait.ts';

/**
 * How often the client sends one request while the quota is used up. The response shows whether an
 * operator has ended the ban or raised the limits. Otherwise, the client would not notice that for
 * hours.
 */
const lookEveryMs = 60_000;

/**
 * How long a request may still reach the service after its call has timed out or was aborted. For
 * this time, the request counts as unanswered.
 */
const maxTravelMs = 30_000;

/**
 * How long a request still counts as unanswered after its connection failed. If it has not reached
 * the service by then, it never will.
 */
const maxTravelAfterFailureMs = 1_000;

/**
 * How often a waiting call checks by itself whether it can be sent. Normally, each call that ends
 * wakes the next waiting call. Cloudflare Workers may cancel calls without waking others, when it
 * has handled the incoming request that made these calls.
 */
const recheckMs = 5_000;

/**
 * The outcome of a request. If all properties are missing, the request timed out, or its signal was
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
   * Called once for each reset that the call waits for. Also called once if the call waits for
   * responses to earlier requests, but not before 5 seconds have passed.
   */
  onWait?: (wait: Wait) => void;
}

/** The event of a call that waits before it is sent. */
export interface Wait {
  /** How long the call waits at most, in milliseconds. */
  delayMs: number;
  /**
   * Why the call waits: the quota is used up, the API key is banned, or earlier requests have no
   * response yet. A wait for responses is reported only for a call that began at least 5 seconds
   * ago.
   */
  reason: 'quota' | 'ban' | 'queue';
  /** How many calls with the same API key are waiting, including this one. */
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
 * The gate also limits the number of unanswered requests. A browser has only six connections per
 * host, so requests may arrive late. If the quota is used up by then, the service counts them as
 * strikes: denied requests that can lead to a ban.
 */
export function createQuotaGate(): QuotaGate {
  const [quotaAt, maxUnanswered, learn] = createQuotaKnowledge();
  const [inFlight, lost, addUnanswered, removeExpired] = createUnansweredRequests();
  /** The number of requests that the gate has sent. It is also the number of the last request. */
  let sent = 0;
  let lastSentAtMs = 0;
  /**
   * The calls that wait to be sent, in the order of their arrival. The value of each entry is the
   * function that wakes the call.
   */
  const waiting = new Map<object, () => void>();

  /** Returns how many more requests may be sent now. */
  function freePlaces(now: number): number {
    removeExpired(now);
    if (quotaAt(now).remaining === 0 && now - lastSentAtMs < lookEveryMs) return 0;
    // With no request in flight, one request is always allowed. Its response shows whether the
    // service has counted the requests that got no response.
    return Math.max(inFlight.size ? 0 : 1, maxUnanswered(now) - lost.size - inFlight.size);
  }

  /**
   * Returns whether a call is among the `places` calls that have waited longest. Only these calls
   * may be sent. Otherwise, later calls could overtake a waiting call forever.
   */
  function isAmongFirst(call: object, places: number): boolean {
    for (const other of waiting.keys()) {
      // If `places` is NaN, no call may be sent. Every comparison with NaN is false, so the
      // condition is written with `!(… > 0)`, not with `<= 0`.
      if (!(places-- > 0)) return false;
      if (other === call) return true;
    }
    return false;
  }

  /** Wakes the calls that have waited longest, by default as many as can be sent now. */
  function wakeFirst(count = freePlaces(performance.now())) {
    for (const wake of waiting.values()) {
      if (!(count-- > 0)) return;
      wake();
    }
  }

  /**
   * Sends a request. The request is counted synchronously, before another call can check the gate.
   */
  async function sendNow(exchange: Exchange, { timeoutMs, signal }: GateOptions): Promise<Outcome> {
    const maxAgeMs = Math.max(timeoutMs, maxTravelMs);
    const wasFirst = inFlight.size === 0;
    const number = ++sent;
    lastSentAtMs = performance.now();
    addUnanswered(inFlight, number, lastSentAtMs + maxAgeMs);
    let outcome: Outcome | undefined;

    function leave(travelMs: number) {
      if (inFlight.delete(number)) addUnanswered(lost, number, performance.now() + travelMs);
      if (outcome?.answer) {
        lost.delete(number);
        learn(outcome.answer, wasFirst && number === sent);
      }
      // If the quota is used up, all calls wake and decide whether they wait for the reset.
      wakeFirst(quotaAt(performance.now()).remaining ? undefined : waiting.size);
    }

    // An `AbortController` is used, because `AbortSignal.any` needs Node 20.3 and leaks memory in
    // some later versions. The timer of `AbortSignal.timeout` cannot be stopped.
    const controller = new AbortController();
    function giveUp() {
      controller.abort();
      // The user's own `fetch` may ignore the signal and never end. So the gate moves the request
      // from `inFlight` to `lost` when the signal aborts, without waiting for `fetch`.
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
      // If too many earlier requests got no response, the gate does not abort this request. The
      // request continues in the background, because its response tells whether the quota is used
      // up. Without this response, each further request could be a strike, which counts towards a
      // ban.
      if (lost.size < maxUnanswered(performance.now())) giveUp();
      else waitFor(maxAgeMs, undefined, onEnd).then(giveUp);
    }
    return outcome ?? {};
  }

  return async (exchange, options) => {
    const { maxRetryAfterMs, timeoutMs, signal, onWait } = options;
    const enteredAtMs = performance.now();
    // Even if `maxRetryAfterMs` is 0, the call waits for the responses to earlier requests.
    const patienceMs = Math.max(timeoutMs, maxRetryAfterMs);
    let placeByMs = enteredAtMs + patienceMs;
    let reportedUntilMs: number | undefined;
    const call = {};
    waiting.set(call, () => {});
    while (!signal?.aborted) {
      const now = performance.now();
      if (isAmongFirst(call, freePlaces(now))) {
        waiting.delete(call);
        return sendNow(exchange, options);
      }
      const quota = quotaAt(now);
      const isUsedUp = quota.remaining === 0;
      if (isUsedUp) {
        // The number of minute windows that begin before the call has waited for `maxRetryAfterMs`.
        // In each window, the first `perMinute` calls of the queue can be sent.
        const windows =
          1 + Math.floor((enteredAtMs + maxRetryAfterMs - quota.endsAtMs) / strikeWindowMs);
        if (!isAmongFirst(call, windows * (quota.perMinute || 1e9))) {
          waiting.delete(call);
          // The calls ahead in the queue will use up all windows that begin within
          // `maxRetryAfterMs`. The next window after them is the first one that may allow a retry.
          const retryAtMs = quota.endsAtMs + Math.max(0, windows) * strikeWindowMs;
          return { refusal: describeRefusal(quota, retryAtMs - now) };
        }
        // After the quota has reset, too many earlier requests may still have no response. So the
        // call may wait for these responses once more.
        placeByMs = quota.endsAtMs + patienceMs;
      } else if (placeByMs <= now) {
        break;
      }
      const delayMs = (isUsedUp ? quota.endsAtMs : placeByMs) - now;
      // The hook gets one event for each reset that the call waits for. It also gets one event if
      // the call waits for responses to earlier requests and began at least `recheckMs` ago. For
      // this event, `untilMs` is 0.
      const untilMs = isUsedUp ? quota.endsAtMs : 0;
      if (untilMs !== reportedUntilMs && (isUsedUp || now - enteredAtMs >= recheckMs)) {
        reportedUntilMs = untilMs;
        const reason = quota.code === 'key_temporarily_banned' ? 'ban' : 'quota';
        onWait?.({ delayMs, reason: isUsedUp ? reason : 'queue', queued: waiting.size });
      }
      await waitFor(isUsedUp ? delayMs : Math.min(delayMs, recheckMs), signal, (wake) =>
        waiting.set(call, wake),
      );
    }
    waiting.delete(call);
    // The gate may have woken this call just before the call was aborted or timed out. This call
    // then sends no request, so it wakes the next call instead.
    wakeFirst();
    return {};
  };
}
