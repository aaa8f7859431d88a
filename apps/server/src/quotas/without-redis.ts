import { type Clock, systemClock, type Timer, waitAtMost } from '@animal-store/runtime';
import { Cluster } from 'ioredis';
import type { RedisConnection } from './open-redis.ts';
import { probeNames } from './redis-format.ts';

// What happens without Redis. The circuit breaker rejects calls to Redis as soon as one fails or is late. Then
// limits are those of this replica alone: of keys in `memory-store.ts`, of networks in `allowance.ts`,
// each with the replica's share. A probe finds out when Redis is back.

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
            if (waiting.has(reject)) open(reason);
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
 * Creates a probe that resolves once Redis can decide again. It writes, because a Redis that is out of
 * memory or became a read-only replica still answers reads. It writes to every node of a Cluster: otherwise it
 * would succeed while a node is away, and the breaker would open and close four times a second.
 *
 * A silent connection is replaced: the process at its other end may be gone, and the commands that
 * wait in it would only pile up.
 *
 * @param options.timeoutMs how long Redis may take to answer.
 * @param options.connectTimeoutMs how long a connection may take to be ready before a new one is tried.
 */
export function createRedisProbe(
  redis: RedisConnection,
  options: { timeoutMs: number; connectTimeoutMs: number },
) {
  const { timeoutMs, connectTimeoutMs } = options;
  const names = probeNames(redis instanceof Cluster);
  let lastReadyAt = systemClock.elapsed();

  return async function probe(): Promise<void> {
    // What interrupts ioredis while it asks Sentinels for the primary ends the connection for good.
    if (redis.status === 'end') redis.connect().catch(() => {});
    if (redis.status !== 'ready') {
      if (systemClock.elapsed() - lastReadyAt > connectTimeoutMs) {
        lastReadyAt = systemClock.elapsed();
        redis.disconnect(true);
      }
      throw new Error(`The connection to Redis is not ready but "${redis.status}".`);
    }
    lastReadyAt = systemClock.elapsed();
    const written = Promise.all(names.map((name) => redis.set(name, '1', 'PX', 1_000)));
    try {
      await waitAtMost<unknown>({ ms: timeoutMs }, written, async () => {
        redis.disconnect(true);
        throw new Error(`Redis did not answer within ${timeoutMs} ms.`);
      });
    } catch (error) {
      // After a failover the connection still leads to the old primary, now a replica. ioredis's
      // `reconnectOnError` would reconnect once for every command in flight; with a dozen of them Node
      // warns of a leak of listeners.
      if (error instanceof Error && error.message.startsWith('READONLY')) redis.disconnect(true);
      throw error;
    }
  };
}

/**
 * Watches a connection for why Redis does not decide. While there is none, a command fails in words about options
 * of ioredis; what happened is in the connection's own last error.
 *
 * @returns a function that gives the reason, by the failure of a command.
 */
export function watchForReason(redis: RedisConnection): (failure: unknown) => unknown {
  let lastError: unknown;
  redis.on('error', (error: Error & { lastNodeError?: unknown }) => {
    // A ClusterAllFailedError has that of the last node.
    lastError = error.lastNodeError ?? error;
  });
  redis.on('ready', () => {
    lastError = undefined;
  });
  return (failure) => {
    if (redis.status === 'ready') return failure;
    return lastError ?? new Error('The connection to Redis was lost.', { cause: failure });
  };
}
