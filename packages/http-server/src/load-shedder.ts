import type { Clock, Timer } from '@animal-store/runtime';
import type { Response } from 'express';
import { createCallerQueues, type Queued, type WaitingCaller } from './caller-queues.ts';
import { createConcurrencyLimit } from './concurrency-limit.ts';
import { createPausedConnections, type PausableSocket } from './paused-connections.ts';
import './request-locals.ts';

/**
 * The number of requests that may start in one iteration of the event loop. libuv reads from
 * sockets until none of them has data, but handles at most 48 times 1,024 events. If each request
 * were processed immediately, thousands of connections would keep libuv in this step for seconds.
 * Neither timers nor `setImmediate` run during this time.
 *
 * libuv also accepts only one new connection in each iteration. With 256 instead of 64 requests,
 * 80 instead of 250 connections a second were accepted during an overload. A caller with a new
 * connection then waited for up to 5 s.
 */
const maxPerIteration = 64;

/**
 * The number of waiting requests at which the load shedder begins to pause connections. It then
 * stops reading from the connections of callers that have several waiting requests. If it paused
 * connections earlier, the CPU might become idle.
 */
const maxUnpaused = 64;

/**
 * The number of waiting requests that a caller must have before its connections are paused. The
 * caller must also have at least as many as the average caller. Otherwise callers with few requests
 * would be paused, too, while the database is slow.
 */
const minWaitingToPause = 2;

/**
 * The share of the time that may be spent on writing refusals. Reading the refused requests takes
 * about as much time as refusing them. Callers that do not back off send their next request as soon
 * as one is refused. So delaying refusals leaves more time for responses.
 */
const refusalTimeShare = 0.05;

/**
 * The largest amount of unused refusal time, in milliseconds. The load shedder saves up this time
 * while it refuses no requests.
 */
const maxRefusalBudgetMs = 5;

/** The properties of a response that the load shedder uses. */
type EnteringResponse = {
  readonly locals: Pick<Express.Locals, 'onAnswered'>;
  readonly req: { readonly socket: PausableSocket };
};

/**
 * The functions that the load shedder calls for a request that cannot start immediately. All
 * requests share one object with these functions, because thousands of requests may wait.
 */
export interface WaitingHandlers<Entering> {
  /** Returns the caller. The function is called only if the request has to wait. */
  callerOf(response: Entering): WaitingCaller;
  answer(response: Entering): void;
  refuse(response: Entering): void;
}

/** The load shedder. It decides when requests start, and refuses requests during an overload. */
export interface LoadShedder<Entering = Response> {
  /**
   * Starts a request or lets it wait. The load shedder comes before all other middleware, so that a
   * refused request costs very little.
   *
   * A request occupies a slot until its response is complete (`onAnswered`), which may be long
   * before the response is sent. If requests kept their slots until then, clients that never read
   * their responses could occupy all slots. A request keeps its slot when the client disconnects,
   * because its work continues.
   *
   * @returns whether the request starts now. If not, `handlers.answer` or `handlers.refuse` is
   * called, immediately or later.
   */
  enter(response: Entering, handlers: WaitingHandlers<Entering>): boolean;
  /** The number of requests in flight. */
  readonly inFlight: number;
  /** The number of waiting requests. */
  readonly waiting: number;
  close(): void;
}

/**
 * A request that waits to be started. It is an instance of a class instead of an object literal,
 * because it may wait for a long time. Once many object literals have lived long, V8 allocates such
 * literals in its old space. The literals, and everything that they refer to, then stay in memory
 * until a full garbage collection.
 */
class WaitingRequest<Entering> implements Queued {
  readonly res: Entering;
  readonly handlers: WaitingHandlers<Entering>;
  readonly caller: WaitingCaller;
  /**
   * The time at which the request becomes overdue. The request has then waited too long, and is
   * refused.
   */
  readonly overdueAt: number;
  isQueued = false;

  constructor(
    res: Entering,
    handlers: WaitingHandlers<Entering>,
    caller: WaitingCaller,
    overdueAt: number,
  ) {
    this.res = res;
    this.handlers = handlers;
    this.caller = caller;
    this.overdueAt = overdueAt;
  }
}

/**
 * Creates the load shedder. If so many requests are in flight that another request could not finish
 * in time, the load shedder lets the other request wait.
 *
 * One request of each caller is started after the other, and callers with an API key alternate with
 * callers without one (`caller-queues.ts`). A single caller may use the whole machine. If too many
 * requests wait, a request of the caller with the most waiting requests is refused.
 *
 * Requests that have waited too long (overdue requests) are never started. Starting them would make
 * all later requests late, too. Overdue requests are refused one by one and with a delay, because a
 * refusal takes a third of the CPU time of a response. A caller that does not back off sends its
 * next request as soon as it is refused.
 *
 * @param options.maxInFlight the number of requests that may be in flight, whatever they wait for.
 * @param options.maxWaiting the number of requests of all callers that may wait. If more arrive, a
 * request of the caller with the most waiting requests is refused immediately.
 * @param options.nextIteration a function that calls its argument in the next iteration of the
 * event loop.
 */
export function openLoadShedder<Entering extends EnteringResponse = Response>(options: {
  maxInFlight: number;
  maxWaiting: number;
  maxWaitMs: number;
  clock: Clock;
  nextIteration?: (run: () => void) => unknown;
}): LoadShedder<Entering> {
  const { maxInFlight, maxWaiting, maxWaitMs, clock, nextIteration = setImmediate } = options;
  const queues = createCallerQueues<WaitingRequest<Entering>>();
  const paused = createPausedConnections({ clock });
  /**
   * The requests that have waited too long. The load shedder refuses them in the next iterations of
   * the event loop.
   */
  const overdue = new Set<WaitingRequest<Entering>>();
  let inFlight = 0;
  const limit = createConcurrencyLimit(clock.elapsed());
  let startedInIteration = 0;
  let isStartScheduled = false;
  let waking: Timer | undefined;
  /** The time at which the timer `waking` fires. */
  let wakingAt = 0;
  let refusalBudgetMs = maxRefusalBudgetMs;
  let budgetUpdatedAt = clock.elapsed();

  const canStart = (now: number) => limit.hasRoom(now) && inFlight < maxInFlight;

  /**
   * Pauses the connection of a request that was finished or refused, if many requests wait and its
   * caller has sent several of them. A caller with an API key that sends few requests is not
   * paused. A caller without a key is also paused if many requests without a key wait, because an
   * attacker can send each request from another network.
   */
  function pauseBusyCaller(res: Entering, handlers: WaitingHandlers<Entering>): void {
    if (queues.size + overdue.size < maxUnpaused) return;
    const caller = handlers.callerOf(res);
    const isBusy = queues.sizeOf(caller) >= Math.max(minWaitingToPause, queues.meanSize);
    const isOfManyNetworks =
      caller.group === 'networks' && queues.sizeOfGroup('networks') >= maxUnpaused;
    if (isBusy || isOfManyNetworks) paused.pause(caller, res.req.socket);
  }

  function start(res: Entering, handlers: WaitingHandlers<Entering>): void {
    const period = limit.start();
    const startedAt = clock.elapsed();
    inFlight += 1;
    startedInIteration += 1;
    // The function is first assigned to a variable. If it were assigned directly to the property,
    // V8 would allocate it in its old space, where it would stay until a full garbage collection.
    const onAnswered = () => {
      inFlight -= 1;
      limit.finish(period, clock.elapsed() - startedAt);
      pauseBusyCaller(res, handlers);
      if (queues.size + overdue.size + paused.size > 0) scheduleStart();
    };
    res.locals.onAnswered = onAnswered;
  }

  /**
   * Starts waiting requests in the next iteration of the event loop. If they were started
   * immediately, requests that finish synchronously would start each other recursively.
   */
  function scheduleStart(): void {
    if (isStartScheduled) return;
    isStartScheduled = true;
    nextIteration(startWaiting);
  }

  function startWaiting(): void {
    isStartScheduled = false;
    startedInIteration = 0;
    const now = clock.elapsed();
    const isOverdue = ({ overdueAt }: WaitingRequest<Entering>) => overdueAt <= now;
    for (let next = queues.takeOldestIf(isOverdue); next; next = queues.takeOldestIf(isOverdue)) {
      overdue.add(next);
    }
    while (startedInIteration < maxPerIteration && canStart(now)) {
      // During an overload, the newest request is started first, so that most requests are fast. If
      // the oldest were first, all requests would be late. Requests that wait long are also
      // expensive, because each garbage collection copies them.
      const next = queues.takeNext(overdue.size > 0 ? 'newest' : 'oldest');
      if (next === undefined) break;
      const { res, handlers } = next;
      // A caller may disconnect while its request waits. The request is then not started.
      if (res.req.socket.destroyed) {
        handlers.refuse(res);
        continue;
      }
      start(res, handlers);
      handlers.answer(res);
    }
    if (queues.size > 0 && canStart(now)) scheduleStart();
    refuseOverdue();
    resumePaused();
    wakeUp(clock.elapsed());
  }

  /**
   * Resumes reading from paused connections while fewer than `maxUnpaused` requests wait. Each
   * resumed connection is expected to add one waiting request.
   */
  function resumePaused(): void {
    paused.resumeOld();
    const room = maxUnpaused - queues.size - overdue.size;
    paused.resume(room);
    // The clients of the resumed connections may send nothing, so more connections may have to be
    // resumed.
    if (room > 0 && paused.size > 0) scheduleStart();
  }

  /**
   * Refuses a waiting request, so that a new request of `caller` can wait. The function chooses the
   * oldest overdue request. If no request is overdue, it chooses the oldest request of the busiest
   * caller (`takeFromBusiest`).
   *
   * @returns whether a request was refused. The result is `false` if `caller` itself is the busiest
   * caller.
   */
  function makeRoom(caller: WaitingCaller): boolean {
    const [first] = overdue;
    if (first !== undefined) {
      overdue.delete(first);
      first.handlers.refuse(first.res);
      return true;
    }
    const dropped = queues.takeFromBusiest(caller);
    if (dropped === undefined) return false;
    dropped.handlers.refuse(dropped.res);
    return true;
  }

  function refuseOverdue(): void {
    let now = clock.elapsed();
    refusalBudgetMs = Math.min(
      maxRefusalBudgetMs,
      refusalBudgetMs + (now - budgetUpdatedAt) * refusalTimeShare,
    );
    for (const request of overdue) {
      if (refusalBudgetMs <= 0) break;
      overdue.delete(request);
      request.handlers.refuse(request.res);
      pauseBusyCaller(request.res, request.handlers);
      const after = clock.elapsed();
      refusalBudgetMs -= after - now;
      now = after;
    }
    budgetUpdatedAt = now;
  }

  /**
   * Sets a timer for the next time at which a request becomes overdue, a request may be refused, or
   * a connection must be resumed. Without the timer, nothing would happen until a request is
   * finished.
   */
  function wakeUp(now: number): void {
    if (queues.size + overdue.size + paused.size === 0) return;
    const overdueAt = queues.oldest()?.overdueAt ?? Number.POSITIVE_INFINITY;
    const refusedAt =
      overdue.size === 0 ? Number.POSITIVE_INFINITY : now + 1 - refusalBudgetMs / refusalTimeShare;
    const at = Math.max(now + 1, Math.min(overdueAt, refusedAt, paused.nextAt()));
    if (waking !== undefined && wakingAt <= at) return;
    clock.cancel(waking);
    wakingAt = at;
    waking = clock.after(at - now, () => {
      waking = undefined;
      scheduleStart();
    });
  }

  return {
    get inFlight() {
      return inFlight;
    },
    get waiting() {
      return queues.size + overdue.size;
    },
    enter(res, handlers) {
      const now = clock.elapsed();
      if (queues.size === 0 && startedInIteration < maxPerIteration && canStart(now)) {
        start(res, handlers);
        return true;
      }
      const caller = handlers.callerOf(res);
      if (queues.size + overdue.size >= maxWaiting && !makeRoom(caller)) {
        handlers.refuse(res);
        return false;
      }
      const request = new WaitingRequest(res, handlers, caller, now + maxWaitMs);
      queues.add(request);
      // If another request may start now, the next iteration of the event loop starts a waiting
      // request. If no other request waits, the started request is the one that was just added.
      if (canStart(now)) scheduleStart();
      wakeUp(now);
      return false;
    },
    close() {
      clock.cancel(waking);
    },
  };
}
