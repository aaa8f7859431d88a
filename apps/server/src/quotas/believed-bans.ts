import { LRUCache } from 'lru-cache';
import type { Clock } from '../shared/clock.ts';
import type { StoreAnswer } from './quota-decision.ts';

/** At most about 5 MB. Beyond it the least recently used are dropped, and Redis is asked again. */
const maxBelievedBans = 10_000;

/** What Redis last said about a banned key. Times are those of a clock that never jumps. */
interface BelievedBan {
  readonly answer: StoreAnswer;
  readonly heardAt: number;
  readonly believedUntil: number;
}

export type BelievedBans = ReturnType<typeof createBelievedBans>;

/** Remembers the bans that Redis reported lately. Requests of these keys are refused without a call. */
export function createBelievedBans(options: {
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly believedBanMs: number;
}) {
  const { clock, believedBanMs } = options;
  const bans = new LRUCache<string, BelievedBan>({ max: maxBelievedBans });

  return {
    /** Tells what time it is, for `remember`. */
    now: clock.elapsed,

    /** @param askedAt when Redis was asked. It decided at some instant between then and now. */
    remember(keyId: string, answer: StoreAnswer, askedAt: number): void {
      const heardAt = clock.elapsed();
      // Counted from the earliest instant, so that no ban is believed for too long.
      const endsAt = askedAt + answer.bannedUntilMs - answer.now;
      const believedUntil = Math.min(heardAt + believedBanMs, endsAt);
      bans.set(keyId, { answer, heardAt, believedUntil });
    },

    /** What Redis would answer now; `undefined` if it has to be asked. */
    recall(keyId: string): StoreAnswer | undefined {
      const ban = bans.get(keyId);
      if (ban === undefined) return undefined;
      const present = clock.elapsed();
      if (present >= ban.believedUntil) return undefined;
      // Counted from the latest instant, so that the reported wait is never too short.
      return { ...ban.answer, now: ban.answer.now + present - ban.heardAt };
    },

    delete(keyId: string): void {
      bans.delete(keyId);
    },
  };
}
