import type { QuotaReading } from './quota-result.ts';

/** How long a ban is believed without asking Redis again, so that an unban there ends it here too. */
const believedMs = 2_000;

/** Beyond this the oldest is forgotten and Redis is asked again, so that memory stays bounded. */
const maxRemembered = 10_000;

/**
 * Remembers which keys are banned, so that a banned key that keeps sending requests costs Redis next
 * to nothing.
 *
 * @param now milliseconds of a monotonic clock.
 */
export function createRememberedBans(now: () => number) {
  const readings = new Map<
    string,
    { reading: QuotaReading; askedAt: number; heardAt: number; nextAskAt: number }
  >();

  return {
    /** @param askedAt when Redis was asked. It decided at some instant between then and now. */
    remember(id: string, reading: QuotaReading, askedAt: number): void {
      if (reading.outcome !== 'banned') return;
      readings.delete(id);
      const heardAt = now();
      readings.set(id, { reading, askedAt, heardAt, nextAskAt: heardAt + believedMs });
      if (readings.size <= maxRemembered) return;
      for (const oldest of readings.keys()) {
        readings.delete(oldest);
        break;
      }
    },

    forget(id: string): void {
      readings.delete(id);
    },

    /** The key's ban as Redis would report it now, or `undefined` if Redis must be asked. */
    recall(id: string): QuotaReading | undefined {
      const remembered = readings.get(id);
      if (remembered === undefined) return undefined;
      const { reading, askedAt, heardAt, nextAskAt } = remembered;
      const present = now();
      // Redis's clock now lies between these two; they are as far apart as its answer took. A ban may
      // be over from the later one on, and a wait counted from the earlier one is never too short.
      const earliest = reading.now + present - heardAt;
      const latest = reading.now + present - askedAt;
      if (latest >= reading.bannedUntilMs) {
        readings.delete(id);
        return undefined;
      }
      if (present >= nextAskAt) {
        // One request asks Redis. Those that arrive before its answer would only ask the same.
        remembered.nextAskAt = present + believedMs;
        return undefined;
      }
      return { ...reading, now: earliest };
    },
  };
}
