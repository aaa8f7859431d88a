import type { Clock, Timer } from '@animal-store/runtime';
import type { Response } from 'express';
import { createCallerQueues } from './caller-queues.ts';
import './request-locals.ts';

/**
 * As many requests may be in flight as were answered in so long. By Little's law each of them then takes
 * so long; more of them would take longer and be no more a second.
 */
const spanMs = 100;

/** So many may be in flight at any time: a burst after a pause is no overload. */
const minInFlight = 100;

/**
 * So many requests begin in one turn of the event loop. libuv reads sockets until none is ready, up to 48 times 1,024:
 * while requests are answered at once, thousands of connections keep it there for seconds, and neither timers nor
 * `setImmediate` run meanwhile.
 */
const maxPerTurn = 256;

/**
 * What has been in flight for so long waits for a store that does not answer, and takes no processor time.
 * It must not keep out what needs another store.
 */
const stuckMs = 1_000;

/**
 * So much of the time may be spent on writing refusals; reading what is refused takes as much again. Callers that do
 * not back off send the next request as soon as they are refused: so the longer a refusal waits, the less of the
 * time goes into refusals instead of answers.
 */
const refusalShare = 0.05;

/** So much of that time may be saved up, while nothing is refused. */
const maxSavedMs = 5;

/** The response to a request that wants to be answered. */
type EnteringResponse = {
  readonly locals: Pick<Express.Locals, 'onAnswered'>;
  readonly req: { readonly socket: { readonly destroyed: boolean } };
};

/** What becomes of a request that had to wait: one object for all, because thousands may wait. */
export interface Turn<Entering> {
  /** Names who sends a request. Asked only if the request has to wait. */
  callerOf(response: Entering): string;
  answer(response: Entering): void;
  refuse(response: Entering): void;
}

/** Decides which requests are answered, and when they begin. */
export interface LoadShedder<Entering = Response> {
  /**
   * Lets a request wait for its turn. It comes before anything else: a refused request costs next to nothing.
   *
   * Its slot is free once the response is complete (`onAnswered`), not once it is sent: clients that read nothing
   * would hold all slots. A client that disconnects does not end the work, so it keeps its slot.
   *
   * @returns whether it is answered now. Otherwise `turn` is called, later or at once.
   */
  enter(response: Entering, turn: Turn<Entering>): boolean;
  /** How many requests are being answered. */
  readonly inFlight: number;
  /** How many wait for their turn. */
  readonly waiting: number;
  close(): void;
}

/** Requests that began within {@link spanMs}. */
interface Span {
  readonly beganAt: number;
  /** How many of them are in flight. */
  running: number;
}

interface WaitingRequest<Entering> {
  readonly res: Entering;
  readonly turn: Turn<Entering>;
  readonly caller: string;
  /** When it has waited for too long. */
  readonly lateAt: number;
  /** Whether it still waits for its turn. */
  isWaiting: boolean;
}

/**
 * Lets requests wait for their turn while too many are in flight to be answered in time.
 *
 * Callers take turns (`caller-queues.ts`). A caller that is alone may use the whole machine. If too many requests wait,
 * the caller with the most loses one.
 *
 * Requests that have waited for too long are never started, so that the others are answered in time instead of all of
 * them late.
 *
 * They are refused, but neither at once nor all together: a caller that does not back off sends its next
 * request as soon as it is refused, and a refusal takes a third of the processor time of an answer.
 *
 * @param options.maxInFlight how many requests may be answered at the same time, whatever they wait for.
 * @param options.maxWaiting how many of all callers may wait, or one of the caller with the most is refused at once.
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
  /** All requests in the order of arrival, to find those that are late. Some may wait no longer. */
  const arrivals: WaitingRequest<Entering>[] = [];
  /** Those that have waited for too long, and are refused in the next turns. */
  const late = new Set<WaitingRequest<Entering>>();
  let inFlight = 0;
  let limit = minInFlight;
  let answered = 0;
  let span: Span = { beganAt: clock.elapsed(), running: 0 };
  /**
   * Those whose requests are not stuck, the oldest first. They count, and hold no request: of a `Map` of those in
   * flight, V8 kept each until a full collection. A Map that grows and shrinks leaves tables behind, each of
   * which refers to the next: once one is in the old space, all later ones follow it there with what they hold.
   */
  const spans = [span];
  let begunInTurn = 0;
  let isTurnPlanned = false;
  let waking: Timer | undefined;
  let savedMs = maxSavedMs;
  let savedAt = span.beganAt;

  function beginSpan(now: number): void {
    limit = Math.max(minInFlight, (answered * spanMs) / (now - span.beganAt));
    answered = 0;
    span = { beganAt: now, running: 0 };
    while (spans[0] !== undefined && spans[0].beganAt + stuckMs <= now) spans.shift();
    spans.push(span);
  }

  function canStart(now: number): boolean {
    if (now - span.beganAt >= spanMs) beginSpan(now);
    const running = spans.reduce((sum, each) => sum + each.running, 0);
    return running < limit && inFlight < maxInFlight;
  }

  function start({ locals }: Entering): void {
    const itsSpan = span;
    inFlight += 1;
    begunInTurn += 1;
    itsSpan.running += 1;
    // Not assigned as it is written: V8 allocates such a function in its old space.
    const onAnswered = () => {
      inFlight -= 1;
      answered += 1;
      itsSpan.running -= 1;
      if (queues.size + late.size > 0) planTurn();
    };
    locals.onAnswered = onAnswered;
  }

  /** In a turn of its own: requests that are answered at once would call each other ever deeper. */
  function planTurn(): void {
    if (isTurnPlanned) return;
    isTurnPlanned = true;
    nextTurn(startWaiting);
  }

  /** The oldest request that waits. */
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
      // It is the oldest of its caller, too.
      queues.takeOldestOf(first.caller);
      first.isWaiting = false;
      late.add(first);
    }
    while (begunInTurn < maxPerTurn && canStart(now)) {
      // Overloaded, it takes the newest first: most are then answered at once, instead of all of them late. And
      // what waits for long is dear, because collections of garbage copy it.
      const next = queues.takeNext(late.size > 0 ? 'newest' : 'oldest');
      if (next === undefined) break;
      next.isWaiting = false;
      const { res, turn } = next;
      // Its caller may have gone while it waited.
      if (res.req.socket.destroyed) {
        turn.refuse(res);
        continue;
      }
      start(res);
      turn.answer(res);
    }
    if (queues.size > 0 && canStart(now)) planTurn();
    refuseLate();
    wakeUp(clock.elapsed());
  }

  /**
   * Refuses a request to make room for another one: the oldest that is late, or one of the caller with the most.
   *
   * @returns whether there is room. There is none if nobody has more waiting than the caller itself.
   */
  function makeRoom(caller: string): boolean {
    const [first] = late;
    if (first !== undefined) {
      late.delete(first);
      first.turn.refuse(first.res);
      return true;
    }
    const longest = queues.longest(caller);
    const dropped = longest === caller ? undefined : queues.takeOldestOf(longest);
    if (dropped === undefined) return false;
    dropped.isWaiting = false;
    dropped.turn.refuse(dropped.res);
    return true;
  }

  function refuseLate(): void {
    let now = clock.elapsed();
    savedMs = Math.min(maxSavedMs, savedMs + (now - savedAt) * refusalShare);
    for (const request of late) {
      if (savedMs <= 0) break;
      late.delete(request);
      request.turn.refuse(request.res);
      const after = clock.elapsed();
      savedMs -= after - now;
      now = after;
    }
    savedAt = now;
  }

  /** Plans a turn for when the next request is late or may be refused, even if none is answered until then. */
  function wakeUp(now: number): void {
    if (waking !== undefined || queues.size + late.size === 0) return;
    const lateInMs = (oldest()?.lateAt ?? Number.POSITIVE_INFINITY) - now;
    const refusedInMs = late.size === 0 ? Number.POSITIVE_INFINITY : 1 - savedMs / refusalShare;
    waking = clock.after(Math.max(1, Math.min(lateInMs, refusedInMs)), () => {
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
    enter(res, turn) {
      const now = clock.elapsed();
      if (queues.size === 0 && begunInTurn < maxPerTurn && canStart(now)) {
        start(res);
        return true;
      }
      const caller = turn.callerOf(res);
      if (queues.size + late.size >= maxWaiting && !makeRoom(caller)) {
        turn.refuse(res);
        return false;
      }
      const request = { res, turn, caller, lateAt: now + maxWaitMs, isWaiting: true };
      queues.add(caller, request);
      arrivals.push(request);
      // The caller may be the only one whose turn it could be.
      if (canStart(now)) planTurn();
      wakeUp(now);
      return false;
    },
    close() {
      clock.cancel(waking);
    },
  };
}
