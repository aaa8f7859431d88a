import type { Quota } from './plan.ts';

/**
 * When a key that keeps sending requests after a 429 is banned, and for how long.
 *
 * An episode begins with the first denial of a key. It ends with the next admitted request of the
 * key, or with the window that denied, because other keys of the account may use up the next
 * window. A denial is a strike if it comes at least `graceMs` after the episode began, so requests
 * that were in flight when the quota ran out do not count. Strikes are counted in fixed windows.
 * The first strike opens a window.
 */
export interface BanPolicy {
  readonly graceMs: number;
  /** The smallest ban threshold; 0 switches bans off. */
  readonly minStrikes: number;
  /**
   * The ban threshold as a share of the key's limit per minute. The larger of both thresholds
   * applies.
   */
  readonly strikeShare: number;
  readonly strikeWindowSeconds: number;
  /**
   * The length of a first ban. Each further ban within `memorySeconds` of the last one is twice as
   * long.
   */
  readonly banSeconds: number;
  readonly maxBanSeconds: number;
  readonly memorySeconds: number;
}

/** The default ban policy, which operators can change. */
export const defaultBanPolicy: BanPolicy = {
  graceMs: 1_000,
  minStrikes: 10,
  strikeShare: 0.5,
  strikeWindowSeconds: 60,
  banSeconds: 300,
  maxBanSeconds: 3_600,
  memorySeconds: 86_400,
};

/**
 * Returns how many strikes a key may have without a ban. The next strike bans the key; `undefined`
 * if bans are off.
 */
export function strikeThreshold(
  { minStrikes, strikeShare }: Pick<BanPolicy, 'minStrikes' | 'strikeShare'>,
  { perMinute }: Pick<Quota, 'perMinute'>,
): number | undefined {
  if (minStrikes === 0) return undefined;
  return Math.max(minStrikes, Math.floor(perMinute * strikeShare));
}

/**
 * Returns whether the message of a 429 warns a key with this many strikes: from half the threshold
 * on.
 */
export function isWarned(strikes: number, threshold: number | undefined): boolean {
  return threshold !== undefined && strikes >= threshold / 2;
}

/** Returns the length in seconds of a key's `nth` ban in a row, counted from 1. */
export function banLengthSeconds(policy: BanPolicy, nth: number): number {
  return Math.min(policy.banSeconds * 2 ** (nth - 1), policy.maxBanSeconds);
}
