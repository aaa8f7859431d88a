import { type Clock, systemClock, type Timer } from '@animal-store/runtime';

// This file handles outages of Redis. The circuit breaker rejects calls to Redis as soon as one
// call fails or times out. Then this replica decides alone, with its share of each limit:
// `memory-store.ts` decides about consumers, and `allowance.ts` about allowances. The probe in
// `redis-probe.ts` detects when Redis is back.

/** The state of the breaker. Closed: Redis decides. Open: this replica decides alone. */
export type BreakerState = 'closed' | 'open';

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

/**
 * Rejects calls to Redis while Redis does not respond in time, so that no request waits for it.
 *
 * The first call that fails or times out opens the breaker. The breaker then rejects all waiting
 * calls at once, and all later calls until a probe succeeds. No call is sent twice: Redis may have
 * counted a request whose response is late, and the insurance limiter counts it as well.
 */
export function createCircuitBreaker(options: {
  /** @default {@link systemClock}, because Redis responds in real time */
  clock?: Clock;
  timeoutMs: number;
  /** How often the breaker probes Redis while it is open. */
  probeEveryMs: number;
  /** Resolves once Redis works again. The breaker runs one probe at a time. */
  probe: () => Promise<unknown>;
  /** Called once for each change of the state, with the reason. */
  onChange: (state: BreakerState, reason: unknown) => void;
}) {
  const { clock = systemClock, timeoutMs, probeEveryMs, probe, onChange } = options;
  /** The functions that reject the calls which wait for Redis. */
  const waiting = new Set<(reason: unknown) => void>();
  /** Why the breaker is open; `undefined` while it is closed. */
  let openReason: { readonly reason: unknown } | undefined;
  let probing: Timer | undefined;

  function open(reason: unknown): void {
    if (openReason !== undefined) return;
    openReason = { reason };
    for (const giveUp of waiting) giveUp(reason);
    waiting.clear();
    probing = clock.after(probeEveryMs, tryAgain).unref();
    onChange('open', reason);
  }

  async function tryAgain(): Promise<void> {
    try {
      await probe();
    } catch {
      if (probing !== undefined) probing = clock.after(probeEveryMs, tryAgain).unref();
      return;
    }
    if (probing === undefined) return;
    openReason = undefined;
    onChange('closed', undefined);
  }

  return {
    /** Settles like the call, or rejects when the breaker opens. */
    run<T>(call: () => Promise<T>): Promise<T> {
      if (openReason !== undefined) return Promise.reject(openReason.reason);
      return new Promise<T>((resolve, reject) => {
        waiting.add(reject);
        // The timeout has two halves, because a busy event loop runs its timers before it reads its
        // sockets. After the first half, the loop reads a response that has arrived.
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

    close(): void {
      clock.cancel(probing);
      probing = undefined;
    },
  };
}

/**
 * Returns whether the error of a command means that Redis is down. An error inside a script does
 * not: the script may have met a value that another program wrote, and Redis can decide all other
 * requests.
 */
function isOutage(reason: unknown): boolean {
  const isOfOneValue =
    reason instanceof Error &&
    reason.message.includes('user_script') &&
    /WRONGTYPE|bad argument|attempt to/.test(reason.message);
  return !isOfOneValue;
}
