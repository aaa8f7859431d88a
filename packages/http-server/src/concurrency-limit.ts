/**
 * The length of a period in milliseconds. After each period, the limit of requests in flight is
 * calculated again.
 */
const periodMs = 100;

/**
 * The bounds of a request's target time, in milliseconds. The limit is the number of requests that
 * finish within the target time. The average time of the requests is measured in each period, and
 * the target time is twice the shortest of these averages.
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
 * The lifetime of the shortest average time, in milliseconds. If no average was about as short
 * within this time, the shortest average is measured again.
 */
const shortestExpiresMs = 5_000;

/**
 * An average time counts as equal to the shortest average time if it is at most `tolerance` times
 * as long.
 */
const tolerance = 1.25;

/**
 * The number of periods for which the limit stays at its minimum. With few requests in flight,
 * requests do not wait for each other, so their shortest average time can be measured again.
 */
const probedPeriods = 3;

/**
 * The number of requests that must finish in a period. The average of fewer requests is ignored.
 */
const minAveraged = 10;

/** The requests that started within one period (of {@link periodMs} milliseconds). */
export interface Period {
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
 * The limit measures the average time of the requests of each period. The shortest average shows
 * how long requests take if they do not wait for each other. The limit keeps this average for some
 * seconds. Then the average is measured again while few requests are in flight. BBR measures the
 * round-trip time of a connection in the same way ("ProbeRTT", draft-ietf-ccwg-bbr).
 *
 * The limit does not follow the average of the last period, because a pause of the process makes
 * all requests of a period slow. Such a pause would raise the limit tenfold. All later requests
 * would then wait for each other, and the limit would stay that high.
 *
 * The time of the fastest request is not used, because some requests need neither Postgres nor
 * Redis, such as those that get 401. If all other requests wait 50 ms for Redis, a few fast
 * requests would lower the limit too far. Requests would then get 503 while the CPU is idle.
 *
 * @param now the current time in milliseconds.
 */
export function createConcurrencyLimit(now: number) {
  let limit = minInFlight;
  let answered = 0;
  /** The sum of the times of all requests that finished in the current period. */
  let sumMs = 0;
  let shortestMs = Number.POSITIVE_INFINITY;
  /** The time at which the average duration of requests was last about as short as `shortestMs`. */
  let shortestAt = now;
  let periodsToProbe = 0;
  let period: Period = { beganAt: now, running: 0 };
  /**
   * The periods that are not older than `stuckMs`, oldest first. The requests of older periods count
   * as stuck.
   *
   * A period only counts its requests. A `Map` of the requests themselves leaked memory until the
   * next full garbage collection. A growing and shrinking Map leaves old tables behind, and each
   * table refers to the next one. Once V8 has moved one table to its old space, it also keeps all
   * later tables and their contents.
   */
  const periods = [period];

  function beginPeriod(now: number): void {
    updateShortest(now);
    const targetMs = Math.min(maxTargetMs, Math.max(minTargetMs, 2 * shortestMs));
    const finishable = (answered * targetMs) / (now - period.beganAt);
    limit = periodsToProbe > 0 ? minInFlight : Math.max(minInFlight, finishable);
    answered = 0;
    sumMs = 0;
    period = { beganAt: now, running: 0 };
    while (periods[0] !== undefined && periods[0].beganAt + stuckMs <= now) periods.shift();
    periods.push(period);
  }

  function updateShortest(now: number): void {
    const isProbed = periodsToProbe > 0;
    if (isProbed) periodsToProbe -= 1;
    if (answered < minAveraged) return;
    const averageMs = sumMs / answered;
    // With the minimum as the limit, requests hardly wait for each other. So a longer average shows
    // that Postgres or Redis has become slower, or that other kinds of requests arrive. The average
    // is measured again in several periods, because the process may have paused in the current
    // period.
    const isExpired = limit === minInFlight || now - shortestAt >= shortestExpiresMs;
    if (averageMs <= shortestMs * tolerance) shortestAt = now;
    else if (isExpired && !isProbed) {
      shortestMs = Number.POSITIVE_INFINITY;
      shortestAt = now;
      periodsToProbe = probedPeriods;
    }
    shortestMs = Math.min(shortestMs, averageMs);
  }

  return {
    /** Returns whether another request may start now. */
    hasRoom(now: number): boolean {
      if (now - period.beganAt >= periodMs) beginPeriod(now);
      return periods.reduce((sum, each) => sum + each.running, 0) < limit;
    },

    /**
     * Counts a request that starts now. Returns the period in which it started, which {@link
     * finish} needs later.
     */
    start(): Period {
      period.running += 1;
      return period;
    },

    /** Counts a request as finished. */
    finish(started: Period, durationMs: number): void {
      started.running -= 1;
      answered += 1;
      // A request can take many seconds, for example while its body arrives. Its time is cut at the
      // maximum of the target time, so that one such request changes the average only a little.
      sumMs += Math.min(maxTargetMs, durationMs);
    },
  };
}
