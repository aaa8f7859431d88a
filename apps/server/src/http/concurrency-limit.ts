/**
 * The length of a period in milliseconds. After each period, the limit of requests in flight is
 * calculated again.
 */
const spanMs = 100;

/**
 * The bounds of a request's target time, in milliseconds. The target time is twice the time of the
 * fastest request.
 */
const [minTargetMs, maxTargetMs] = [10, 100];

/**
 * The minimum of the limit. With a lower limit, a burst of requests after a quiet period would
 * count as an overload.
 */
const minInFlight = 100;

/**
 * The age in milliseconds at which a request in flight counts as stuck. Stuck requests wait for
 * Postgres or Redis and need no CPU time, so they are not counted against the limit. Otherwise
 * requests that are stuck in Redis would block requests that need only Postgres, and vice versa.
 */
const stuckMs = 1_000;

/**
 * The time in milliseconds after which the time of the fastest request is measured again, if no
 * later request was about as fast.
 */
const fastestExpiresMs = 5_000;

/**
 * A request counts as about as fast as the fastest one if it takes at most this many times as long.
 */
const tolerance = 1.25;

/**
 * The number of periods for which the limit stays at its minimum, so that the time of the fastest
 * request can be measured again.
 */
const probedSpans = 3;

/** The requests that started within one period (of {@link spanMs} milliseconds). */
export interface Span {
  readonly beganAt: number;
  /** The number of requests of this period that are still in flight. */
  running: number;
}

/**
 * Creates the limit of requests in flight during an overload.
 *
 * The limit is the number of requests that finish within the target time on average. By Little's
 * law, each request then takes about the target time. With more requests in flight, each request
 * would only take longer.
 *
 * The fastest request shows how long a request takes if it does not wait for others. The limit
 * keeps the time of this request until it expires. Then the time is measured again while few
 * requests are in flight. BBR measures the round-trip time of a connection in the same way
 * ("ProbeRTT", draft-ietf-ccwg-bbr). If each period had its own fastest request, a pause of the
 * process would make all requests of a period slow. The limit would grow tenfold, all later
 * requests would wait for each other, and the limit would stay that high.
 *
 * @param now the current time in milliseconds.
 */
export function createConcurrencyLimit(now: number) {
  let limit = minInFlight;
  let answered = 0;
  /** The time of the fastest request that finished in the current period. */
  let fastestInSpanMs = Number.POSITIVE_INFINITY;
  let fastestMs = Number.POSITIVE_INFINITY;
  /** The time at which a request was last about as fast as the fastest one. */
  let fastestAt = now;
  let spansToProbe = 0;
  let span: Span = { beganAt: now, running: 0 };
  /**
   * The periods that have requests in flight which do not count as stuck, oldest first. A period
   * holds the number of its requests, not the requests, because a `Map` of requests in flight
   * leaked memory until the next full garbage collection. A Map that grows and shrinks leaves old
   * tables behind, each of which refers to the next. Once V8 moves one table to its old space, all
   * later tables and their contents follow.
   */
  const spans = [span];

  function beginSpan(now: number): void {
    updateFastest(now);
    const targetMs = Math.min(maxTargetMs, Math.max(minTargetMs, 2 * fastestMs));
    const finishable = (answered * targetMs) / (now - span.beganAt);
    limit = spansToProbe > 0 ? minInFlight : Math.max(minInFlight, finishable);
    answered = 0;
    fastestInSpanMs = Number.POSITIVE_INFINITY;
    span = { beganAt: now, running: 0 };
    while (spans[0] !== undefined && spans[0].beganAt + stuckMs <= now) spans.shift();
    spans.push(span);
  }

  function updateFastest(now: number): void {
    if (spansToProbe > 0) spansToProbe -= 1;
    if (fastestInSpanMs <= fastestMs * tolerance) fastestAt = now;
    else if (now - fastestAt >= fastestExpiresMs) {
      fastestMs = Number.POSITIVE_INFINITY;
      fastestAt = now;
      // With a limit above the minimum, the requests of this period may have waited for each other.
      // So the time is measured again with the minimum.
      if (limit > minInFlight) spansToProbe = probedSpans;
    }
    fastestMs = Math.min(fastestMs, fastestInSpanMs);
  }

  return {
    /** Returns whether another request may start now. */
    hasRoom(now: number): boolean {
      if (now - span.beganAt >= spanMs) beginSpan(now);
      return spans.reduce((sum, each) => sum + each.running, 0) < limit;
    },

    /** Counts a request that starts now. Returns its period, for {@link finish}. */
    start(): Span {
      span.running += 1;
      return span;
    },

    /** Counts a request as finished. */
    finish(started: Span, durationMs: number): void {
      started.running -= 1;
      answered += 1;
      fastestInSpanMs = Math.min(fastestInSpanMs, durationMs);
    },
  };
}
