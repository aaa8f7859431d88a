/** How often the clock ticks, in milliseconds. */
const tickMs = 25;

/**
 * Measures time in which this process was able to read an answer.
 *
 * A busy event loop runs its timers before it reads its sockets. If a burst of requests keeps the
 * loop busy for longer than a timeout, an ordinary timer fires although the answer has arrived. This
 * clock counts at most two ticks for one turn of the loop, however long the turn took.
 */
export function createResponsiveClock(options: { now: () => number; onTick: () => void }) {
  const { now, onTick } = options;
  let elapsedMs = 0;
  let lastTickAt = now();
  let timer: NodeJS.Timeout | undefined;

  function tick() {
    const tickedAt = now();
    elapsedMs += Math.min(tickedAt - lastTickAt, 2 * tickMs);
    lastTickAt = tickedAt;
    onTick();
  }

  return {
    elapsedMs: () => elapsedMs,
    /** Call it whenever there is something to wait for. The clock does not run otherwise. */
    start(): void {
      if (timer !== undefined) return;
      lastTickAt = now();
      timer = setInterval(tick, tickMs).unref();
    },
    stop(): void {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
