import { type Clock, systemClock, type Timer } from '@animal-store/runtime';

// This file handles outages of Redis. The circuit breaker opens when a call to Redis times out, or
// fails because Redis is down. An open breaker rejects all calls to Redis. This replica of the
// service then decides alone, and admits its share of each limit: the limit divided by the number
// of replicas.
//
// While the breaker is open, `memory-store.ts` decides about the requests of consumers (callers
// with a quota), and `allowance.ts` about the requests of other callers, such as networks. The
// probe in `redis-probe.ts` detects when Redis works again.

/**
 * The state of the breaker. While the breaker is closed, Redis decides whether requests are
 * admitted. While the breaker is open, this replica of the service decides alone.
 */
export type BreakerState = 'closed' | 'open';

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

/**
 * Creates a circuit breaker. It rejects calls to Redis while Redis does not respond in time, so
 * that no request waits for Redis.
 *
 * The breaker opens at the first call that times out or fails. The only exception is a script that
 * fails because of one wrong value in Redis: see `isOutage`. When the breaker opens, it immediately
 * rejects all waiting calls. It rejects all later calls until a probe succeeds.
 *
 * No call is sent a second time, because Redis may already have executed a call whose response is
 * late. The second call would then count the same request again.
 */
export function createCircuitBreaker(options: {
  /**
   * The clock of the timeouts. @default {@link systemClock}, because Redis responds in real time
   */
  clock?: Clock;
  timeoutMs: number;
  /** How often an open breaker probes Redis, in milliseconds. */
  probeEveryMs: number;
  /**
   * Probes Redis. The promise resolves if Redis works again, and rejects otherwise. The breaker
   * runs one probe at a time.
   */
  probe: () => Promise<unknown>;
  /**
   * Called for each change of the state. `reason` is the error of the call that opened the breaker,
   * or `undefined` when the breaker closes.
   */
  onChange: (state: BreakerState, reason: unknown) => void;
}) {
  const { clock = systemClock, timeoutMs, probeEveryMs, probe, onChange } = options;
  /** The functions that reject the calls that are waiting for Redis. */
  const waiting = new Set<(reason: unknown) => void>();
  /** The reason why the breaker is open, or `undefined` while it is closed. */
  let openReason: { readonly reason: unknown } | undefined;
  let probing: Timer | undefined;
  let isClosed = false;

  function open(reason: unknown): void {
    if (openReason !== undefined) return;
    openReason = { reason };
    for (const giveUp of waiting) giveUp(reason);
    waiting.clear();
    // A request may still arrive after `close`, while the service shuts down. No probe may start
    // then, because it would open the connection again, and the process would never exit.
    if (isClosed) return;
    probing = clock.after(probeEveryMs, probeAgain).unref();
    onChange('open', reason);
  }

  async function probeAgain(): Promise<void> {
    try {
      await probe();
    } catch {
      if (probing !== undefined) probing = clock.after(probeEveryMs, probeAgain).unref();
      return;
    }
    if (probing === undefined) return;
    openReason = undefined;
    onChange('closed', undefined);
  }

  return {
    /**
     * Runs a call to Redis and returns its result. Rejects if the breaker is open, or opens before
     * the call has settled.
     */
    run<T>(call: () => Promise<T>): Promise<T> {
      if (openReason !== undefined) return Promise.reject(openReason.reason);
      return new Promise<T>((resolve, reject) => {
        waiting.add(reject);
        // The timeout consists of two timers. A busy event loop runs its timers before it reads its
        // sockets, so a single timer would drop a response that has already arrived. With two
        // timers, the loop reads that response between them.
        let timer = clock.after(timeoutMs / 2, () => {
          timer = clock.after(timeoutMs / 2, giveUp);
        });
        function giveUp() {
          if (waiting.has(reject)) open(new Error(`Redis did not respond within ${timeoutMs} ms.`));
        }
        call().then(
          (result) => {
            clock.cancel(timer);
            waiting.delete(reject);
            resolve(result);
          },
          (reason: unknown) => {
            clock.cancel(timer);
            if (!waiting.delete(reject)) return;
            if (isOutage(reason)) open(reason);
            reject(reason);
          },
        );
      });
    },

    /**
     * Stops probing. After this call, failed calls are still rejected, but `onChange` is not
     * called.
     */
    close(): void {
      isClosed = true;
      clock.cancel(probing);
      probing = undefined;
    },
  };
}

/**
 * Returns whether the error of a command means that Redis is down. An error inside a script is not
 * an outage. For example, the script may have found a value that another program wrote. Redis can
 * still decide about all other requests.
 */
function isOutage(reason: unknown): boolean {
  const isCausedByOneValue =
    reason instanceof Error &&
    reason.message.includes('user_script') &&
    /WRONGTYPE|bad argument|attempt to/.test(reason.message);
  return !isCausedByOneValue;
}
