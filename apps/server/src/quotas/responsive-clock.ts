/** How often the clock looks, in milliseconds. */
const tickMs = 25;

/**
 * Tells time in which this process could have read an answer.
 *
 * A busy event loop runs its timers before it reads its sockets: to an ordinary timeout, a burst of
 * requests that keeps the loop busy for longer than the timeout looks as if Redis had been silent.
 * This clock counts no more than two ticks for a turn of the loop, however long it took.
 */
export function createResponsiveClock(options: { now: () => number; onTick: () => void }) {
  const { now, onTick } = options;
  let elapsedMs = 0;
  let lastLook = now();
  let timer: NodeJS.Timeout | undefined;

  function tick() {
    const look = now();
    elapsedMs += Math.min(look - lastLook, 2 * tickMs);
    lastLook = look;
    onTick();
  }

  return {
    elapsedMs: () => elapsedMs,
    /** Runs only while there is something to wait for. */
    start(): void {
      if (timer !== undefined) return;
      lastLook = now();
      timer = setInterval(tick, tickMs).unref();
    },
    stop(): void {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
