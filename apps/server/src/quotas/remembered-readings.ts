import { LRUCache } from 'lru-cache';

/** At most about 5 MB. Beyond it the least recently used are forgotten, and the limiter is asked again. */
const maxRemembered = 10_000;

/**
 * Remembers what a limiter last said about its callers, so that a caller whose answer cannot change costs
 * Redis next to nothing.
 *
 * @param options.clock a monotonic clock, in milliseconds.
 * @param options.endOf until when a reading holds, by the limiter's clock.
 * @param options.believedMs how long it is believed without asking again.
 */
export function rememberReadings<Reading extends { readonly now: number }>(options: {
  clock: () => number;
  endOf: (reading: Reading) => number;
  believedMs?: number;
}) {
  const { clock, endOf, believedMs = Number.POSITIVE_INFINITY } = options;
  const entries = new LRUCache<
    string,
    { reading: Reading; askedAt: number; heardAt: number; nextAskAt: number }
  >({ max: maxRemembered });

  return {
    /** @param askedAt when the limiter was asked. It decided at some instant between then and now. */
    remember(id: string, reading: Reading, askedAt: number): void {
      const heardAt = clock();
      entries.set(id, { reading, askedAt, heardAt, nextAskAt: heardAt + believedMs });
    },

    forget(id: string): void {
      entries.delete(id);
    },

    /** The reading as the limiter would give it now, or `undefined` if the limiter must be asked. */
    recall(id: string): Reading | undefined {
      const entry = entries.get(id);
      if (entry === undefined) return undefined;
      const { reading, askedAt, heardAt, nextAskAt } = entry;
      const present = clock();
      // The limiter's clock now lies between these two; they are as far apart as its answer took. A
      // window may be over from the later one on, and a wait counted from the earlier is never too short.
      const earliest = reading.now + present - heardAt;
      const latest = reading.now + present - askedAt;
      if (latest >= endOf(reading)) return undefined;
      if (present >= nextAskAt) {
        // One request asks the limiter. Those that arrive before its answer would only ask the same.
        entry.nextAskAt = present + believedMs;
        return undefined;
      }
      return { ...reading, now: earliest };
    },
  };
}
