import type { KeyReading } from './decision.ts';

/** How long a ban is believed without asking Redis again, so that one lifted there ends here too. */
const believedMs = 2_000;

/** Beyond this the oldest is forgotten, and asked for again: an attacker's keys cannot fill memory. */
const maxRemembered = 10_000;

/**
 * Remembers which keys are banned, so that a key that hammers on costs Redis next to nothing.
 *
 * @param now milliseconds of a clock that only moves forward; its zero does not matter.
 */
export function createRememberedBans(now: () => number) {
  const readings = new Map<
    string,
    { reading: KeyReading; askedAt: number; heardAt: number; nextAskAt: number }
  >();

  return {
    /** @param askedAt when Redis was asked: it decided at some instant between then and now. */
    remember(id: string, reading: KeyReading, askedAt: number): void {
      if (reading.bannedUntilMs === undefined) return;
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

    /** The key's ban as Redis would tell it now, or `undefined` if Redis must be asked. */
    recall(id: string): KeyReading | undefined {
      const remembered = readings.get(id);
      if (remembered === undefined) return undefined;
      const { reading, askedAt, heardAt, nextAskAt } = remembered;
      const present = now();
      // By Redis's clock it is somewhere between two instants, as far apart as its answer took. A ban
      // may be over from the later one on; a wait that is counted from the earlier is not too short.
      const earliest = reading.now + present - heardAt;
      const latest = reading.now + present - askedAt;
      if (latest >= (reading.bannedUntilMs ?? 0)) {
        readings.delete(id);
        return undefined;
      }
      if (present >= nextAskAt) {
        // One asks; those that come before it has its answer would only ask the same.
        remembered.nextAskAt = present + believedMs;
        return undefined;
      }
      return { ...reading, now: earliest };
    },
  };
}
