import { LRUCache } from 'lru-cache';
import type { StoreAnswer } from './quota-decision.ts';

/** How long a ban is believed without asking Redis again, so that an unban there ends it here too. */
const believedBanMs = 2_000;

/** At most about 5 MB. Beyond it the least recently used are dropped, and Redis is asked again. */
const maxBelievedBans = 10_000;

/** What Redis last said about a banned key. Times are those of a monotonic clock, in milliseconds. */
interface BelievedBan {
  readonly answer: StoreAnswer;
  readonly heardAt: number;
  readonly believedUntil: number;
}

export type BelievedBans = ReturnType<typeof createBelievedBans>;

/**
 * Remembers the bans that Redis reported lately. Requests of these keys are refused without a call.
 *
 * @param clock A monotonic clock, in milliseconds.
 */
export function createBelievedBans(clock: () => number) {
  const bans = new LRUCache<string, BelievedBan>({ max: maxBelievedBans });

  return {
    /** Tells what time it is, for `remember`. */
    now: clock,

    /** @param askedAt when Redis was asked. It decided at some instant between then and now. */
    remember(keyId: string, answer: StoreAnswer, askedAt: number): void {
      const heardAt = clock();
      // Counted from the earliest instant, so that no ban is believed for too long.
      const endsAt = askedAt + answer.bannedUntilMs - answer.now;
      const believedUntil = Math.min(heardAt + believedBanMs, endsAt);
      bans.set(keyId, { answer, heardAt, believedUntil });
    },

    /** What Redis would answer now; `undefined` if it has to be asked. */
    recall(keyId: string): StoreAnswer | undefined {
      const ban = bans.get(keyId);
      if (ban === undefined) return undefined;
      const present = clock();
      if (present >= ban.believedUntil) return undefined;
      // Counted from the latest instant, so that the reported wait is never too short.
      return { ...ban.answer, now: ban.answer.now + present - ban.heardAt };
    },

    delete(keyId: string): void {
      bans.delete(keyId);
    },
  };
}
