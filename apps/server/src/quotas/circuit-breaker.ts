/** How often Redis is tried while the breaker is open. */
const probeEveryMs = 250;

/** Closed: Redis decides. Open: this replica decides by itself. */
export type BreakerState = 'closed' | 'open';

/** The log line and the reason of `/readyz` while the breaker is open. */
export const redisAway = 'Redis is away: this replica limits by its own share until it is back';

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

/**
 * Rejects calls to Redis while Redis does not answer in time, so that no request waits for it.
 *
 * The first call that fails or is late opens the breaker. Every call that waits at that moment is
 * rejected at once, and so are all later calls, until a probe succeeds. Nothing is sent twice: a
 * late answer may have counted a request in Redis that the insurance limiter counts as well.
 */
export function createCircuitBreaker(options: {
  timeoutMs: number;
  /** Resolves once Redis works again. Never called while an earlier probe is pending. */
  probe: () => Promise<unknown>;
  /** Called once for each change, with its reason. */
  onChange: (state: BreakerState, reason: unknown) => void;
}) {
  const { timeoutMs, probe, onChange } = options;
  const waiting = new Set<{ since: number; giveUp: (reason: unknown) => void }>();
  /** Why the breaker is open; `undefined` while it is closed. */
  let openReason: { readonly reason: unknown } | undefined;
  let probing: NodeJS.Timeout | undefined;

  // One clock for all calls: a timer for each would cost more than the call.
  const clock = createResponsiveClock({
    now: () => performance.now(),
    onTick: () => {
      const [oldest] = waiting;
      if (oldest === undefined) return clock.stop();
      if (clock.elapsedMs() - oldest.since >= timeoutMs) {
        open(new Error(`Redis did not answer within ${timeoutMs} ms.`));
      }
    },
  });

  function open(reason: unknown): void {
    if (openReason !== undefined) return;
    openReason = { reason };
    for (const { giveUp } of waiting) giveUp(reason);
    probing = setTimeout(tryAgain, probeEveryMs).unref();
    onChange('open', reason);
  }

  async function tryAgain(): Promise<void> {
    try {
      await probe();
    } catch {
      if (probing !== undefined) probing = setTimeout(tryAgain, probeEveryMs).unref();
      return;
    }
    if (probing === undefined) return;
    openReason = undefined;
    onChange('closed', undefined);
  }

  return {
    /** Settles as the call does, or rejects when the breaker opens. */
    run<T>(call: () => Promise<T>): Promise<T> {
      if (openReason !== undefined) return Promise.reject(openReason.reason);
      return new Promise<T>((resolve, reject) => {
        const entry = { since: clock.elapsedMs(), giveUp: reject };
        waiting.add(entry);
        clock.start();
        call().then(
          (result) => {
            waiting.delete(entry);
            resolve(result);
          },
          (reason: unknown) => {
            waiting.delete(entry);
            open(reason);
            reject(reason);
          },
        );
      });
    },

    isOpen: () => openReason !== undefined,

    close(): void {
      clearTimeout(probing);
      probing = undefined;
      clock.stop();
    },
  };
}

/** How often the clock ticks, in milliseconds. */
const tickMs = 25;

/**
 * Measures time in which this process was able to read an answer.
 *
 * A busy event loop runs its timers before it reads its sockets. If a burst of requests keeps the
 * loop busy for longer than a timeout, an ordinary timer fires although the answer has arrived. This
 * clock counts at most two ticks for one turn of the loop, however long the turn took.
 */
function createResponsiveClock(options: { now: () => number; onTick: () => void }) {
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
