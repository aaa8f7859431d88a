import {
  type BanPolicy,
  banLengthSeconds,
  type Quota,
  strikeThreshold,
} from '@animal-store/contract';
import { addOne, type QuotaState, unusedKey } from './quota-state.ts';

/** Called when a ban begins, only on the replica whose request began it. */
export type OnBan = (ban: {
  keyId: string;
  seconds: number;
  /** Unix time in milliseconds, by the clock that decided. */
  startedAtMs: number;
}) => void;

/**
 * Counts a denial: it begins an episode, is a strike, or begins a ban. The rule is explained at
 * `BanPolicy` in the contract; `ban-rule.lua` does the same in Redis.
 */
export function judgeDenial(
  state: QuotaState,
  quota: Quota,
  policy: BanPolicy,
  now: number,
): QuotaState {
  const threshold = strikeThreshold(policy, quota);
  if (threshold === undefined) return state;
  if (state.episodeBeganAtMs === 0) return { ...state, episodeBeganAtMs: now };
  // Requests that were in flight when the quota ran out are not "repeated requests after a 429".
  if (now - state.episodeBeganAtMs < policy.graceMs) return state;

  const strikes = addOne(state.strikes, now, policy.strikeWindowSeconds);
  if (strikes.used <= threshold) return { ...state, strikes };

  const bans = state.bans.used + 1;
  return {
    // A ban clears the strikes and the episode that led to it.
    ...unusedKey,
    minute: state.minute,
    day: state.day,
    bans: { used: bans, endsAtMs: now + policy.memorySeconds * 1_000 },
    bannedUntilMs: now + banLengthSeconds(policy, bans) * 1_000,
  };
}
