import type { Clock, Timer } from '@animal-store/runtime';
import type { Response } from 'express';
import { createCallerQueues } from './caller-queues.ts';
import { createPausedConnections, type PausableSocket } from './paused-connections.ts';
import './request-locals.ts';

/** The period after which the limit of requests in flight is set anew. */
const spanMs = 100;

/**
 * The bounds of the target time of a request, in milliseconds. The target is twice the time of
 * the fastest request of the last period. The limit of requests in flight is the number of
 * requests that were answered within the target time. By Little's law each request then takes
 * about the target time. More requests in flight would only take longer.
 */
const [minTargetMs, maxTargetMs] = [10, 100];

/** The smallest limit of requests in flight, because a burst after a pause is not an overload. */
const minInFlight = 100;

/**
 * How many requests begin in one turn of the event loop. libuv reads sockets until none is ready,
 * up to 48 times 1,024. If requests are answered at once, thousands of connections keep libuv there
 * for seconds, and neither timers nor `setImmediate` run meanwhile.
 */
const maxPerTurn = 256;

/**
 * How many requests may wait before nothing more is read from connections whose callers have
 * waiting requests. These are enough that none of the CPU time is unused.
 */
const maxUnpaused = 64;

/** How many requests of a caller must wait before its connections are paused. */
const minOfPausedCaller = 2;

/**
 * From this age on, a request in flight counts as stuck: it waits for a store that does not respond
 * and needs no CPU time. It must not block requests that need another store.
 */
const stuckMs = 1_000;

/**
 * The share of the time that may be spent on writing refusals. Reading the refused requests takes
 * as much again. Callers that do not back off send their next request as soon as they are refused,
 * so later refusals leave more time for responses.
 */
const refusalShare = 0.05;

/** The most time for refusals that can be saved up while nothing is refused. */
const maxSavedMs = 5;

/** The response of a request that enters the load shedder. */
type EnteringResponse = {
  readonly locals: Pick<Express.Locals, 'onAnswered'>;
  readonly req: { readonly socket: PausableSocket };
};

/**
 * The functions that decide about a request that had to wait. All requests share one object,
 * because thousands may wait.
 */
export interface WaitingHandlers<Entering> {
  /** Returns the name of the caller. It is called only if the request has to wait. */
  callerOf(response: Entering): string;
  answer(response: Entering): void;
  refuse(response: Entering): void;
}

/** Decides which requests are answered and when they begin. */
export interface LoadShedder<Entering = Response> {
  /**
   * Lets a request wait for its turn. It comes before all other steps, so that a refused request
   * costs very little.
   *
   * The slot of a request becomes free when the response is complete (`onAnswered`). If it became
   * free only after sending, clients that read nothing would occupy all slots. A request keeps its
   * slot if the client disconnects, because its work continues.
   *
   * @returns whether the request begins now. Otherwise a function of `handlers` is called, later
   * or at once.
   */
  enter(response: Entering, handlers: WaitingHandlers<Entering>): boolean;
  /** The number of requests in flight. */
  readonly inFlight: number;
  /** The number of waiting requests. */
  readonly waiting: number;
  close(): void;
}

/** The requests that began within one period of {@link spanMs}. */
interface Span {
  readonly beganAt: number;
  /** The number of these requests that are in flight. */
  running: number;
}

/**
 * A request that waits for its turn. It is an instance of a class: V8 allocates object literals in
 * its old space once many of them have lived long, and keeps all that they refer to until a full
 * collection.
 */
class WaitingRequest<Entering> {
  readonly res: Entering;
  readonly handlers: WaitingHandlers<Entering>;
  readonly caller: string;
  /** The time from which the request has waited too long. */
  readonly lateAt: number;
  /** Whether the request still waits for its turn. */
  isWaiting = true;

  constructor(res: Entering, handlers: WaitingHandlers<Entering>, caller: string, lateAt: number) {
    this.res = res;
    this.handlers = handlers;
    this.caller = caller;
    this.lateAt = lateAt;
  }
}

/**
 * Creates the load shedder, which lets requests wait while too many are in flight to be answered in
 * time.
 *
 * Callers take turns (`caller-queues.ts`). A caller that is alone may use the whole machine. If too
 * many requests wait, the caller with the most waiting requests loses one.
 *
 * Requests that have waited too long are never started, so that other requests are answered in time
 * instead of all of them late. They are refused one by one and with a delay, because a refusal
 * takes a third of the CPU time of a response. A caller that does not back off sends its next
 * request as soon as it is refused.
 *
 * @param options.maxInFlight how many requests may be in flight, whatever they wait for.
 * @param options.maxWaiting how many requests of all callers may wait. Beyond it, a request of the
 * caller with the most is refused at once.
 * @param options.nextTurn calls a function in the next turn of the event loop.
 */
export function openLoadShedder<Entering extends EnteringResponse = Response>(options: {
  maxInFlight: number;
  maxWaiting: number;
  maxWaitMs: number;
  clock: Clock;
  nextTurn?: (run: () => void) => unknown;
}): LoadShedder<Entering> {
  const { maxInFlight, maxWaiting, maxWaitMs, clock, nextTurn = setImmediate } = options;
  const queues = createCallerQueues<WaitingRequest<Entering>>();
  /**
   * All waiting requests in the order of arrival, to find those that are late. Some entries may no
   * longer wait.
   */
  const arrivals: WaitingRequest<Entering>[] = [];
  const paused = createPausedConnections({ clock });
  /** The requests that have waited too long and are refused in the next turns. */
  const late = new Set<WaitingRequest<Entering>>();
  let inFlight = 0;
  let limit = minInFlight;
  let answered = 0;
  /** The shortest time that a request took which was answered in this period. */
  let fastestMs = Number.POSITIVE_INFINITY;
  let span: Span = { beganAt: clock.elapsed(), running: 0 };
  /**
   * The periods whose requests are not stuck, oldest first. They contain counts instead of
   * requests, because V8 kept each entry of a `Map` of requests in flight until a full collection.
   * A Map that grows and shrinks leaves old tables behind, and each refers to the next. Once one
   * table is in the old space, all later ones follow it with everything in them.
   */
  const spans = [span];
  let begunInTurn = 0;
  let isTurnPlanned = false;
  let waking: Timer | undefined;
  /** The time of `waking`. */
  let wakingAt = 0;
  let savedMs = maxSavedMs;
  let savedAt = span.beganAt;

  function beginSpan(now: number): void {
    const targetMs = Math.min(maxTargetMs, Math.max(minTargetMs, 2 * fastestMs));
    limit = Math.max(minInFlight, (answered * targetMs) / (now - span.beganAt));
    answered = 0;
    fastestMs = Number.POSITIVE_INFINITY;
    span = { beganAt: now, running: 0 };
    while (spans[0] !== undefined && spans[0].beganAt + stuckMs <= now) spans.shift();
    spans.push(span);
  }

  function canStart(now: number): boolean {
    if (now - span.beganAt >= spanMs) beginSpan(now);
    const running = spans.reduce((sum, each) => sum + each.running, 0);
    return running < limit && inFlight < maxInFlight;
  }

  /**
   * Pauses the connection of a request that was answered or refused, if many requests wait and
   * several of them belong to its caller. So a caller that sends little is not paused.
   */
  function pauseAfter(res: Entering, handlers: WaitingHandlers<Entering>): void {
    if (queues.size + late.size < maxUnpaused) return;
    const caller = handlers.callerOf(res);
    if (queues.sizeOf(caller) >= minOfPausedCaller) paused.pause(caller, res.req.socket);
  }

  function start(res: Entering, handlers: WaitingHandlers<Entering>): void {
    const itsSpan = span;
    const startedAt = clock.elapsed();
    inFlight += 1;
    begunInTurn += 1;
    itsSpan.running += 1;
    // The function is assigned to a variable first: V8 would allocate a function that is written
    // directly into the assignment in its old space.
    const onAnswered = () => {
      inFlight -= 1;
      answered += 1;
      itsSpan.running -= 1;
      fastestMs = Math.min(fastestMs, clock.elapsed() - startedAt);
      pauseAfter(res, handlers);
      if (queues.size + late.size + paused.size > 0) planTurn();
    };
    res.locals.onAnswered = onAnswered;
  }

  /**
   * Starts waiting requests in a turn of their own. Otherwise requests that are answered at once
   * would call each other ever deeper.
   */
  function planTurn(): void {
    if (isTurnPlanned) return;
    isTurnPlanned = true;
    nextTurn(startWaiting);
  }

  /** Returns the oldest waiting request. */
  function oldest(): WaitingRequest<Entering> | undefined {
    const first = arrivals.findIndex(({ isWaiting }) => isWaiting);
    if (first !== 0) arrivals.splice(0, first === -1 ? arrivals.length : first);
    return arrivals[0];
  }

  function startWaiting(): void {
    isTurnPlanned = false;
    begunInTurn = 0;
    const now = clock.elapsed();
    for (let first = oldest(); first !== undefined && first.lateAt <= now; first = oldest()) {
      // The oldest request of all is also the oldest of its caller.
      queues.takeOldestOf(first.caller);
      first.isWaiting = false;
      late.add(first);
    }
    while (begunInTurn < maxPerTurn && canStart(now)) {
      // During an overload the newest request comes first, so that most requests are answered at
      // once instead of all of them late. Requests that wait long are also expensive, because
      // garbage collections copy them.
      const next = queues.takeNext(late.size > 0 ? 'newest' : 'oldest');
      if (next === undefined) break;
      next.isWaiting = false;
      const { res, handlers } = next;
      // The caller may have disconnected while the request waited.
      if (res.req.socket.destroyed) {
        handlers.refuse(res);
        continue;
      }
      start(res, handlers);
      handlers.answer(res);
    }
    if (queues.size > 0 && canStart(now)) planTurn();
    refuseLate();
    resumePaused();
    wakeUp(clock.elapsed());
  }

  /** Resumes as many connections as there is room for requests that wait. */
  function resumePaused(): void {
    paused.resumeOld();
    const room = maxUnpaused - queues.size - late.size;
    paused.resume(room);
    // The resumed connections may have nothing to send.
    if (room > 0 && paused.size > 0) planTurn();
  }

  /**
   * Refuses a waiting request to make room for another one: the oldest late one, or else one of the
   * caller with the most.
   *
   * @returns whether there is room. There is none if no other caller has more waiting requests.
   */
  function makeRoom(caller: string): boolean {
    const [first] = late;
    if (first !== undefined) {
      late.delete(first);
      first.handlers.refuse(first.res);
      return true;
    }
    const longest = queues.longest(caller);
    const dropped = longest === caller ? undefined : queues.takeOldestOf(longest);
    if (dropped === undefined) return false;
    dropped.isWaiting = false;
    dropped.handlers.refuse(dropped.res);
    return true;
  }

  function refuseLate(): void {
    let now = clock.elapsed();
    savedMs = Math.min(maxSavedMs, savedMs + (now - savedAt) * refusalShare);
    for (const request of late) {
      if (savedMs <= 0) break;
      late.delete(request);
      request.handlers.refuse(request.res);
      pauseAfter(request.res, request.handlers);
      const after = clock.elapsed();
      savedMs -= after - now;
      now = after;
    }
    savedAt = now;
  }

  /**
   * Plans a turn for the time when the next request becomes late or may be refused, or the next
   * connection must be resumed, even if no request is answered until then.
   */
  function wakeUp(now: number): void {
    if (queues.size + late.size + paused.size === 0) return;
    const lateAt = oldest()?.lateAt ?? Number.POSITIVE_INFINITY;
    const refusedAt = late.size === 0 ? Number.POSITIVE_INFINITY : now + 1 - savedMs / refusalShare;
    const at = Math.max(now + 1, Math.min(lateAt, refusedAt, paused.nextAt()));
    if (waking !== undefined && wakingAt <= at) return;
    clock.cancel(waking);
    wakingAt = at;
    waking = clock.after(at - now, () => {
      waking = undefined;
      planTurn();
    });
  }

  return {
    get inFlight() {
      return inFlight;
    },
    get waiting() {
      return queues.size + late.size;
    },
    enter(res, handlers) {
      const now = clock.elapsed();
      if (queues.size === 0 && begunInTurn < maxPerTurn && canStart(now)) {
        start(res, handlers);
        return true;
      }
      const caller = handlers.callerOf(res);
      if (queues.size + late.size >= maxWaiting && !makeRoom(caller)) {
        handlers.refuse(res);
        return false;
      }
      const request = new WaitingRequest(res, handlers, caller, now + maxWaitMs);
      queues.add(caller, request);
      arrivals.push(request);
      // All other callers may be without a waiting request, so this caller may have the next turn.
      if (canStart(now)) planTurn();
      wakeUp(now);
      return false;
    },
    close() {
      clock.cancel(waking);
    },
  };
}
