import { describeRefusal } from './describe-refusal.ts';
import type { ApiErrorDetails } from './errors/api-error.ts';
import { createQuotaKnowledge, strikeWindowMs } from './quota-knowledge.ts';
import type { Answer } from './response.ts';
import { waitFor } from './wait.ts';

/**
 * How often one request is sent although the quota is used up. An operator may have unbanned the
 * key or raised the limits, and the client would not learn about it for hours.
 */
const lookEveryMs = 60_000;

/** How long a request may still reach the service after its call has timed out or was aborted. */
const maxTravelMs = 30_000;

/** The same time for a request whose connection failed: it has arrived by then, or never will. */
const maxTravelAfterFailureMs = 1_000;

/**
 * How often a waiting call checks by itself. Normally, the end of another call wakes it. But on
 * Cloudflare Workers, that other call can vanish together with the request that it served.
 */
const recheckMs = 5_000;

/** The outcome of a request. Without a member, the request timed out or its signal aborted. */
interface Outcome {
  answer?: Answer | undefined;
  /** The error of `fetch`. */
  failure?: { cause: unknown } | undefined;
  /** Why the request was not sent. */
  refusal?: ApiErrorDetails | undefined;
}

/** Sends a request and reads its response to the last byte. */
type Exchange = (signal: AbortSignal) => Promise<Answer>;

/** The limits of a request's wait. */
interface GateOptions {
  /** A request that would wait longer for the reset is refused at once. */
  maxRetryAfterMs: number;
  /** How long it waits for its response after it is sent. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
  /**
   * Called once for each reset that the request waits for, and once for a queue that does not move.
   */
  onWait?: (wait: Wait) => void;
}

/** The reason why a request waits before it is sent. */
export interface Wait {
  /** The longest time that it waits, in milliseconds. */
  delayMs: number;
  /** The quota is used up, the key is banned, or earlier requests have no response. */
  reason: 'quota' | 'ban' | 'queue';
  /** How many calls with the key wait, including this one. */
  queued: number;
}

/**
 * Sends a request as soon as it may. Never rejects. Every request of one API key to one service
 * passes here, whichever client of the process sends it.
 */
export type QuotaGate = (exchange: Exchange, options: GateOptions) => Promise<Outcome>;

/**
 * Creates the gate of one key. It sends no more requests than the last responses allow, and delays
 * the other calls until the reset. It also limits the requests without a response. A transport may
 * delay them (a browser has six connections), and those that arrive after the quota is used up are
 * strikes.
 */
export function createQuotaGate(): QuotaGate {
  const [quotaAt, maxUnanswered, learn] = createQuotaKnowledge();
  let sentAtMs = 0;
  let sent = 0;
  /** Requests that wait for their response, by number, with the time when they expire. */
  const inFlight = new Map<number, number>();
  /**
   * Requests that ended without a response and may still reach the service, with the time when they
   * expire.
   */
  const lost = new Map<number, number>();
  /** Calls that wait for their turn, in their order, with the functions that wake them. */
  const waiting = new Map<object, () => void>();

  /**
   * No request expires before this time. Checking all of them for each call would take quadratic
   * time.
   */
  let soonestMs = Number.POSITIVE_INFINITY;

  /** Records a request, and until when it counts. */
  function note(requests: Map<number, number>, number: number, endsAtMs: number) {
    requests.set(number, endsAtMs);
    soonestMs = Math.min(soonestMs, endsAtMs);
  }

  /** Returns how many more requests may be sent now. Removes expired requests. */
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
    // If only lost requests are in the way, one request finds out whether the service counted them.
    const least = inFlight.size === 0 ? 1 : 0;
    if (quotaAt(now).remaining === 0 && now - sentAtMs < lookEveryMs) return 0;
    return Math.max(least, maxUnanswered(now) - lost.size - inFlight.size);
  }

  /**
   * Wakes the calls that can be sent now. When the quota is used up, all calls decide whether to
   * wait that long.
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
   * Whether a call is among the first that wait. Otherwise, later calls could take its turn
   * forever.
   */
  function isAmongFirst(call: object, places: number): boolean {
    for (const other of waiting.keys()) {
      // This is also true for NaN.
      if (!(places-- > 0)) return false;
      if (other === call) return true;
    }
    return false;
  }

  /** Sends a request that has its turn. It counts the request before any other call can. */
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

    // `AbortSignal.any` is new in Node 20.3 and leaks in some later versions, and the timer of
    // `AbortSignal.timeout` cannot be stopped.
    const controller = new AbortController();
    function giveUp() {
      controller.abort();
      // The user's own `fetch` may ignore its signal.
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
      // If too many requests timed out, the gate would not learn that the quota is used up, and
      // each further request could be a strike. So this request continues in the background.
      if (lost.size < maxUnanswered(performance.now())) giveUp();
      else waitFor(maxAgeMs, undefined, onEnd).then(giveUp);
    }
    return outcome ?? {};
  }

  return async (exchange, options) => {
    const { maxRetryAfterMs, timeoutMs, signal, onWait } = options;
    const enteredAtMs = performance.now();
    // Calls that never wait for a reset still wait for the responses to earlier requests.
    const patienceMs = Math.max(timeoutMs, maxRetryAfterMs || 0);
    let placeByMs = enteredAtMs + patienceMs;
    let toldOf = Number.NaN;
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
        // The number of windows that begin in time. Each has room for as many calls as are at the
        // front of the queue.
        const windows =
          1 + Math.floor((enteredAtMs + maxRetryAfterMs - quota.endsAtMs) / strikeWindowMs);
        if (!isAmongFirst(call, windows * (quota.perMinute || 1e9))) {
          waiting.delete(call);
          // Calls after these windows may have room. A window that ends later is waited for first.
          if (windows > 0) waitMs += windows * strikeWindowMs;
          return { refusal: describeRefusal(quota, waitMs) };
        }
        placeByMs = quota.endsAtMs + patienceMs;
      } else if (waitMs <= 0) {
        break;
      }
      const { remaining, endsAtMs, code } = quota;
      // A queue moves all the time: it is only reported if it has not moved for a while.
      const waitsFor = remaining === 0 ? endsAtMs : now - enteredAtMs < recheckMs ? toldOf : 0;
      if (!Object.is(waitsFor, toldOf)) {
        toldOf = waitsFor;
        const delayMs = remaining === 0 ? waitMs : placeByMs - now;
        const ofQuota = code === 'key_temporarily_banned' ? 'ban' : 'quota';
        onWait?.({ delayMs, reason: remaining === 0 ? ofQuota : 'queue', queued: waiting.size });
      }
      await waitFor(waitMs, signal, (wake) => waiting.set(call, wake));
    }
    waiting.delete(call);
    // The next call gets the turn for which this call was woken.
    wakeFirst();
    return {};
  };
}
