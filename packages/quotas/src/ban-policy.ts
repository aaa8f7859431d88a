import type { Quota } from './quota.ts';

/**
 * When a key that keeps sending after a 429 is banned, and for how long.
 *
 * An episode begins with a consumer's first denial. It ends with the consumer's next admitted request, or with the
 * window that denied: other keys of the account may have used up the next one. A denial at least `graceMs`
 * after the episode began is a strike: requests that were in flight when the quota ran out do not count.
 * Strikes are counted in fixed windows, each opened by its first strike.
 */
export interface BanPolicy {
  readonly graceMs: number;
  /** The least threshold; 0 switches bans off. */
  readonly minStrikes: number;
  /** The threshold as a share of the consumer's limit per minute, where that is greater. */
  readonly strikeShare: number;
  readonly strikeWindowSeconds: number;
  /** Length of a first ban. Each further ban within `memorySeconds` of the last is twice as long. */
  readonly banSeconds: number;
  readonly maxBanSeconds: number;
  readonly memorySeconds: number;
}

/** The policy that holds unless another one is given. */
export const defaultBanPolicy: BanPolicy = {
  graceMs: 1_000,
  minStrikes: 10,
  strikeShare: 0.5,
  strikeWindowSeconds: 60,
  banSeconds: 300,
  maxBanSeconds: 3_600,
  memorySeconds: 86_400,
};

/** The number of strikes that a key can have without a ban: the next one bans it; `undefined` if bans are off. */
export function strikeThreshold(
  { minStrikes, strikeShare }: Pick<BanPolicy, 'minStrikes' | 'strikeShare'>,
  { perMinute }: Pick<Quota, 'perMinute'>,
): number | undefined {
  if (minStrikes === 0) return undefined;
  return Math.max(minStrikes, Math.floor(perMinute * strikeShare));
}

/** Tells whether the message of a 429 warns a key with so many strikes: from half the threshold on. */
export function isWarned(strikes: number, threshold: number | undefined): boolean {
  return threshold !== undefined && strikes >= threshold / 2;
}

/** The length in seconds of a consumer's `nth` ban in a row, counted from 1. */
export function banLengthSeconds(policy: BanPolicy, nth: number): number {
  return Math.min(policy.banSeconds * 2 ** (nth - 1), policy.maxBanSeconds);
}
