import type { Response } from 'express';
import type { Clock, Timer } from '../shared/clock.ts';
import './locals.ts';

/**
 * As many requests may be in flight as were answered in so long. By Little's law each of them then takes
 * so long; more of them would take longer and be no more a second.
 */
const spanMs = 100;

/** So many may be in flight at any time: a burst after a pause is no overload. */
const minInFlight = 100;

/**
 * What has been in flight for so long waits for a store that does not answer, and takes no processor time.
 * It must not keep out what needs another store.
 */
const stuckMs = 1_000;

/**
 * So many are refused in a turn of the event loop. The busier the process, the longer its turns, and the longer
 * callers that do not back off wait for a refusal, and then send the next request. With 50 instead of 10 the
 * refusals took most of the time that answers need.
 */
const refusalsPerTurn = 10;

/** The response to a request that wants to be answered. */
type EnteringResponse = Pick<Response, 'locals'> & {
  readonly req: { readonly socket: { readonly destroyed: boolean } };
};

/** Decides which requests are answered, and when they begin. */
export interface LoadShedder {
  /**
   * Lets a request wait for its turn. It comes before the quota: a refused request costs nothing.
   *
   * Its slot is free once the response is complete (`onAnswered`), not once it is sent: clients that read nothing
   * would hold all slots. A client that disconnects does not end the work, so it keeps its slot.
   *
   * @returns whether the request is to be answered: `true` at once, if it need not wait.
   */
  enter(response: EnteringResponse): true | Promise<boolean>;
  /** How many requests are being answered. */
  readonly inFlight: number;
  /** How many wait for their turn. */
  readonly waiting: number;
  close(): void;
}

/** A request that waits for its turn. */
interface WaitingRequest {
  readonly res: EnteringResponse;
  /** When it has waited for too long. */
  readonly lateAt: number;
  readonly settle: (isItsTurn: boolean) => void;
}

/**
 * Lets requests wait for their turn while too many are in flight to be answered in time. Those that have waited
 * for too long are never started, so that the others are answered in time instead of all of them late.
 *
 * They are refused, but neither at once nor all together: a caller that does not back off sends its next
 * request as soon as it is refused, and a refusal takes half of the processor time of an answer.
 *
 * @param options.maxInFlight how many requests may be answered at the same time, whatever they wait for.
 * @param options.maxWaiting how many may wait, or one is refused at once.
 * @param options.nextTurn calls a function in the next turn of the event loop.
 */
export function openLoadShedder(options: {
  maxInFlight: number;
  maxWaiting: number;
  maxWaitMs: number;
  clock: Clock;
  nextTurn?: (run: () => void) => unknown;
}): LoadShedder {
  const { maxInFlight, maxWaiting, maxWaitMs, clock, nextTurn = setImmediate } = options;
  /** In the order of arrival. */
  const waiting: WaitingRequest[] = [];
  /** Those that have waited for too long, and are refused in the next turns. */
  const late = new Set<WaitingRequest>();
  /** Those in flight that are not stuck, in the order in which they began, with that time. */
  const running = new Map<EnteringResponse, number>();
  let inFlight = 0;
  let limit = minInFlight;
  let answered = 0;
  let spanBeganAt = clock.elapsed();
  let isTurnPlanned = false;
  let waking: Timer | undefined;

  function beginSpan(now: number): void {
    limit = Math.max(minInFlight, (answered * spanMs) / (now - spanBeganAt));
    answered = 0;
    spanBeganAt = now;
    for (const [res, startedAt] of running) {
      if (startedAt + stuckMs > now) break;
      running.delete(res);
    }
  }

  function canStart(now: number): boolean {
    if (now - spanBeganAt >= spanMs) beginSpan(now);
    return running.size < limit && inFlight < maxInFlight;
  }

  function start(res: EnteringResponse, now: number): void {
    inFlight += 1;
    running.set(res, now);
    res.locals.onAnswered = () => {
      inFlight -= 1;
      answered += 1;
      running.delete(res);
      if (waiting.length > 0) planTurn();
    };
  }

  /** In a turn of its own: requests that are answered at once would call each other ever deeper. */
  function planTurn(): void {
    if (isTurnPlanned) return;
    isTurnPlanned = true;
    nextTurn(startWaiting);
  }

  function startWaiting(): void {
    isTurnPlanned = false;
    const now = clock.elapsed();
    const inTime = waiting.findIndex(({ lateAt }) => lateAt > now);
    const lateOnes = waiting.splice(0, inTime === -1 ? waiting.length : inTime);
    for (const request of lateOnes) late.add(request);
    while (waiting.length > 0 && canStart(now)) {
      // Overloaded, it takes the newest first: most are then answered at once, instead of all of them late. And
      // what waits for long is dear, because collections of garbage copy it.
      const next = late.size > 0 ? waiting.pop() : waiting.shift();
      if (next === undefined) break;
      start(next.res, now);
      // Its caller may have gone while it waited.
      next.settle(!next.res.req.socket.destroyed);
    }
    let refused = 0;
    for (const request of late) {
      if (refused === refusalsPerTurn) break;
      refused += 1;
      late.delete(request);
      request.settle(false);
    }
    if (late.size > 0) planTurn();
    wakeUp(now);
  }

  /** Plans a turn for when the next request has waited for too long, even if none is answered until then. */
  function wakeUp(now: number): void {
    const [oldest] = waiting;
    if (waking !== undefined || oldest === undefined) return;
    waking = clock.after(oldest.lateAt - now, () => {
      waking = undefined;
      planTurn();
    });
  }

  return {
    get inFlight() {
      return inFlight;
    },
    get waiting() {
      return waiting.length + late.size;
    },
    enter(res) {
      const now = clock.elapsed();
      if (waiting.length === 0 && canStart(now)) {
        start(res, now);
        return true;
      }
      if (waiting.length + late.size >= maxWaiting) {
        const [oldest] = late;
        if (oldest === undefined) return Promise.resolve(false);
        late.delete(oldest);
        oldest.settle(false);
      }
      return new Promise((settle) => {
        waiting.push({ res, lateAt: now + maxWaitMs, settle });
        wakeUp(now);
      });
    },
    close() {
      clock.cancel(waking);
    },
  };
}
