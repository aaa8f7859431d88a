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
  const readings = new Map<string, { reading: KeyReading; at: number }>();

  return {
    remember(id: string, reading: KeyReading): void {
      if (reading.bannedUntilMs === undefined) return;
      readings.delete(id);
      readings.set(id, { reading, at: now() });
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
      const { reading, at } = remembered;
      const elapsedMs = now() - at;
      const redisNow = reading.now + elapsedMs;
      if (elapsedMs < believedMs && redisNow < (reading.bannedUntilMs ?? 0)) {
        return { ...reading, now: redisNow };
      }
      readings.delete(id);
      return undefined;
    },
  };
}
