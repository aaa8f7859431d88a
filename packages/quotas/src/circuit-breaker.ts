import { type Clock, systemClock, type Timer } from '@animal-store/runtime';

// What happens without Redis. The circuit breaker rejects calls to Redis as soon as one fails or is late. Then
// limits are those of this replica alone: of consumers in `memory-store.ts`, of allowances in `allowance.ts`,
// each with the replica's share. The probe in `redis-probe.ts` finds out when Redis is back.

/** Closed: Redis decides. Open: this replica decides by itself. */
export type BreakerState = 'closed' | 'open';

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

/**
 * Rejects calls to Redis while Redis does not answer in time, so that no request waits for it.
 *
 * The first call that fails or is late opens the breaker. Every call that waits at that moment is
 * rejected at once, and so are all later calls, until a probe succeeds. Nothing is sent twice: a
 * late answer may have counted a request in Redis that the insurance limiter counts as well.
 */
export function createCircuitBreaker(options: {
  /** @default {@link systemClock}: Redis answers by no other. */
  clock?: Clock;
  timeoutMs: number;
  /** How often Redis is tried while the breaker is open. */
  probeEveryMs: number;
  /** Resolves once Redis works again. Never called while an earlier probe is pending. */
  probe: () => Promise<unknown>;
  /** Called once for each change, with its reason. */
  onChange: (state: BreakerState, reason: unknown) => void;
}) {
  const { clock = systemClock, timeoutMs, probeEveryMs, probe, onChange } = options;
  /** What rejects each call that waits for Redis. */
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
    /** Settles as the call does, or rejects when the breaker opens. */
    run<T>(call: () => Promise<T>): Promise<T> {
      if (openReason !== undefined) return Promise.reject(openReason.reason);
      return new Promise<T>((resolve, reject) => {
        waiting.add(reject);
        // In two halves: a busy event loop runs its timers before it reads its sockets. After the first
        // half, an answer that has arrived is read.
        let timer = clock.after(timeoutMs / 2, () => {
          timer = clock.after(timeoutMs / 2, giveUp);
        });
        function giveUp() {
          if (waiting.has(reject)) open(new Error(`Redis did not answer within ${timeoutMs} ms.`));
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
 * Tells whether Redis is down, by the error of a command. An error inside of a script is none if the script met a value
 * that another program has written: Redis decides all other requests.
 */
function isOutage(reason: unknown): boolean {
  const isOfOneValue =
    reason instanceof Error &&
    reason.message.includes('user_script') &&
    /WRONGTYPE|bad argument|attempt to/.test(reason.message);
  return !isOfOneValue;
}
