import type { Quotas } from './quotas.ts';
import { createResponsiveClock } from './responsive-clock.ts';

/** How often Redis is tried while it is away. */
const probeEveryMs = 250;

/** Who decides: all replicas together, or this one by itself. */
export type Decider = 'shared' | 'own';

/** What operators are told while a replica decides by itself. */
export const redisAway = 'Redis is away: this replica limits by its own share until it is back';

/**
 * Decides by Redis while it answers in time, and by this process's own share while it does not: no
 * request fails, or waits for long, because of Redis.
 *
 * This is a circuit breaker. The first decision that fails or is late opens it; every request that
 * waits then is decided here at once, and all others after them, until a probe has gone through.
 * A late answer may have counted a request in Redis that is counted here too: the caller is let in
 * once all the same, and nothing is ever sent twice.
 */
export function createResilientQuotas(options: {
  shared: Quotas;
  own: Quotas;
  timeoutMs: number;
  /** Resolves once Redis decides again. It is not called while it is pending. */
  probe: () => Promise<unknown>;
  /** Is told once of each change, and why. */
  onChange: (decider: Decider, reason: unknown) => void;
}): Quotas {
  const { shared, own, timeoutMs, probe, onChange } = options;
  const waiting = new Set<{ since: number; giveUp: (reason: unknown) => void }>();
  /** Keys pardoned while Redis was away, and banned there perhaps. */
  const pardoned: string[] = [];
  let isOpen = false;
  let probing: NodeJS.Timeout | undefined;

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
    if (isOpen) return;
    isOpen = true;
    for (const { giveUp } of waiting) giveUp(reason);
    probing = setTimeout(tryAgain, probeEveryMs).unref();
    onChange('own', reason);
  }

  async function tryAgain(): Promise<void> {
    try {
      await probe();
    } catch {
      if (probing !== undefined) probing = setTimeout(tryAgain, probeEveryMs).unref();
      return;
    }
    if (probing === undefined) return;
    isOpen = false;
    onChange('shared', undefined);
    for (const id of pardoned.splice(0)) pardon(id).catch(() => {});
  }

  /** Settles as the decision does, or rejects when the breaker opens. */
  function inTime<T>(decision: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const entry = { since: clock.elapsedMs(), giveUp: reject };
      waiting.add(entry);
      clock.start();
      decision.then(resolve, reject).finally(() => waiting.delete(entry));
    });
  }

  async function decide<T>(by: (quotas: Quotas) => Promise<T>): Promise<T> {
    if (isOpen) return by(own);
    try {
      return await inTime(by(shared));
    } catch (reason) {
      open(reason);
      return by(own);
    }
  }

  async function pardon(id: string): Promise<void> {
    // Both hold a ban of their own, if it began on either side of an outage.
    await own.pardon(id);
    await decide((quotas) => quotas.pardon(id));
    if (isOpen) pardoned.push(id);
  }

  return {
    takeForKey: (key) => decide((quotas) => quotas.takeForKey(key)),
    takeForAddress: (network) => decide((quotas) => quotas.takeForAddress(network)),
    peekAddress: (network) => decide((quotas) => quotas.peekAddress(network)),
    usageOf: (key) => decide((quotas) => quotas.usageOf(key)),
    pardon,
    notePardon(id) {
      shared.notePardon(id);
      own.pardon(id).catch(() => {});
    },
    async close() {
      clearTimeout(probing);
      probing = undefined;
      clock.stop();
      await shared.close();
      await own.close();
    },
  };
}
