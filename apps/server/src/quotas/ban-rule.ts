import {
  type BanPolicy,
  banLengthSeconds,
  type Quota,
  strikeThreshold,
} from '@animal-store/contract';
import { type BanState, notBanned } from './ban-state.ts';
import { addOne } from './window-counts.ts';

/** Called when a ban begins, only on the replica whose request began it. */
export type OnBan = (ban: {
  keyId: string;
  seconds: number;
  /** Unix time in milliseconds, by the clock that decided. */
  startedAtMs: number;
}) => void;

/**
 * Counts a denial: it begins an episode, is a strike, or begins a ban. The rule is explained at
 * `BanPolicy` in the contract; `decide.lua` does the same in Redis.
 *
 * @param fullSinceMs When the window that denies was opened. An episode of an earlier window is over: the
 * key has waited, and others of its account have used up the new window meanwhile.
 */
export function judgeDenial(
  state: BanState,
  { quota, banPolicy, fullSinceMs }: { quota: Quota; banPolicy: BanPolicy; fullSinceMs: number },
  now: number,
): BanState {
  const threshold = strikeThreshold(banPolicy, quota);
  if (threshold === undefined) return state;
  if (state.episodeBeganAtMs < fullSinceMs || state.episodeBeganAtMs === 0) {
    return { ...state, episodeBeganAtMs: now };
  }
  // Requests that were in flight when the quota ran out are not "repeated requests after a 429".
  if (now - state.episodeBeganAtMs < banPolicy.graceMs) return state;

  const strikes = addOne(state.strikes, now, banPolicy.strikeWindowSeconds);
  if (strikes.used <= threshold) return { ...state, strikes };

  const bans = state.bans.used + 1;
  return {
    // A ban clears the strikes and the episode that led to it.
    ...notBanned,
    bans: { used: bans, endsAtMs: now + banPolicy.memorySeconds * 1_000 },
    bannedUntilMs: now + banLengthSeconds(banPolicy, bans) * 1_000,
  };
}
