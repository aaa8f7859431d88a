import { describeRefusal } from './describe-refusal.ts';
import type { ApiErrorDetails } from './errors/api-error.ts';
import { createQuotaKnowledge, strikeWindowMs } from './quota-knowledge.ts';
import type { Answer } from './response.ts';
import { waitFor } from './wait.ts';

/**
 * How often one request is sent although the quota is used up: an operator may have unbanned the key
 * or raised the limits, and the client would not learn of it for hours.
 */
const lookEveryMs = 60_000;

/** How long a request may be on its way to the service after the call has given it up. */
const maxTravelMs = 30_000;

/** The same after its connection failed: it has arrived by then, or never will. */
const maxTravelAfterFailureMs = 1_000;

/**
 * How often a waiting call looks again by itself. Normally the end of another call wakes it; but on
 * Cloudflare Workers that other call can vanish together with the request that it served.
 */
const recheckMs = 5_000;

/** What became of a request. If none of these, its time was up, or its signal aborted. */
interface Outcome {
  answer?: Answer | undefined;
  /** What `fetch` threw. */
  failure?: { cause: unknown } | undefined;
  /** Why the request was not sent. */
  refusal?: ApiErrorDetails | undefined;
}

/** Sends a request and reads its answer to the last byte. */
type Exchange = (signal: AbortSignal) => Promise<Answer>;

/** How a request waits. */
interface GateOptions {
  /** A request that would wait longer for the reset is refused at once. */
  maxRetryAfterMs: number;
  /** How long it waits for its answer once it is sent. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
  /** Is told once of each reset that the request waits for, and once of a queue that does not move. */
  onWait?: (wait: Wait) => void;
}

/** What a request waits for before it is sent. */
export interface Wait {
  /** How long it waits at most, in milliseconds. */
  delayMs: number;
  /** The quota is used up, the key is banned, or earlier requests have no answer. */
  reason: 'quota' | 'ban' | 'queue';
  /** How many calls with the key wait, this one included. */
  queued: number;
}

/**
 * Sends a request as soon as there is a place for it. Never rejects. Every request of one API key to one
 * service passes here, whichever client of the process sends it.
 */
export type QuotaGate = (exchange: Exchange, options: GateOptions) => Promise<Outcome>;

/**
 * Creates the gate of one key. It lets through no more requests than the last answers say the quota
 * has room for, and holds the other calls back until the reset. Unanswered requests are limited too:
 * a transport may delay them (a browser has six connections), and those that arrive after the quota
 * has run out are strikes.
 */
export function createQuotaGate(): QuotaGate {
  const [quotaAt, maxUnanswered, learn] = createQuotaKnowledge();
  let sentAtMs = 0;
  let sent = 0;
  /** Requests that wait for their answer, by number, and when they are too old. */
  const inFlight = new Map<number, number>();
  /** Requests that ended without an answer and may still reach the service, and until when. */
  const lost = new Map<number, number>();
  /** Calls that wait for a place, in their order, and what wakes them. */
  const waiting = new Map<object, () => void>();

  /** Before this time no request is too old: to look through them for each call would take quadratic time. */
  let soonestMs = Number.POSITIVE_INFINITY;

  /** Notes a request, and until when it counts. */
  function note(requests: Map<number, number>, number: number, endsAtMs: number) {
    requests.set(number, endsAtMs);
    soonestMs = Math.min(soonestMs, endsAtMs);
  }

  /** How many more requests may be sent now. Forgets what is too old. */
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
    // If only lost requests are in the way, one request finds out whether they were counted.
    const least = inFlight.size === 0 ? 1 : 0;
    if (quotaAt(now).remaining === 0 && now - sentAtMs < lookEveryMs) return 0;
    return Math.max(least, maxUnanswered(now) - lost.size - inFlight.size);
  }

  /** Wakes those who can be sent now. Once the quota is used up, all decide whether to wait that long. */
  function wakeFirst() {
    const now = performance.now();
    let count = quotaAt(now).remaining === 0 ? waiting.size : freePlaces(now);
    for (const wake of waiting.values()) {
      if (!(count-- > 0)) return;
      wake();
    }
  }

  /** Whether a call is among the first that wait. Otherwise later calls could take its turn for ever. */
  function isAmongFirst(call: object, places: number): boolean {
    for (const other of waiting.keys()) {
      // Also if it is no number.
      if (!(places-- > 0)) return false;
      if (other === call) return true;
    }
    return false;
  }

  /** Sends a request that has a place. It takes the place before anyone else can. */
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

    // Not `AbortSignal.any`, which is new in Node 20.3 and leaks in some later versions, and not
    // `AbortSignal.timeout`, whose timer cannot be stopped.
    const controller = new AbortController();
    function giveUp() {
      controller.abort();
      // A `fetch` of the user's may ignore its signal.
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
      // If too many were given up, the gate would not learn that the quota is used up, and each
      // further request could be a strike. So this one goes on.
      if (lost.size < maxUnanswered(performance.now())) giveUp();
      else waitFor(maxAgeMs, undefined, onEnd).then(giveUp);
    }
    return outcome ?? {};
  }

  return async (exchange, options) => {
    const { maxRetryAfterMs, timeoutMs, signal, onWait } = options;
    const enteredAtMs = performance.now();
    // Those who never wait for a reset wait for the answers to earlier requests all the same.
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
        // How many windows begin in time, each with room for as many calls as come first.
        const windows =
          1 + Math.floor((enteredAtMs + maxRetryAfterMs - quota.endsAtMs) / strikeWindowMs);
        if (!isAmongFirst(call, windows * (quota.perMinute || 1e9))) {
          waiting.delete(call);
          // What is beyond these windows may have room; a window that ends later is waited for first.
          if (windows > 0) waitMs += windows * strikeWindowMs;
          return { refusal: describeRefusal(quota, waitMs) };
        }
        placeByMs = quota.endsAtMs + patienceMs;
      } else if (waitMs <= 0) {
        break;
      }
      const { remaining, endsAtMs, code } = quota;
      // A queue moves all the time: only one that has not moved for a while is worth telling.
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
    // The place that this call was woken for is the next one's.
    wakeFirst();
    return {};
  };
}
