import type { Quota } from './quota.ts';

// `packages/contract` has a copy of these rules for callers. The copy exists because neither package
// may depend on the other. `shared-rules.test.ts` of the server compares both.

/**
 * The rules for banning a consumer (a caller with a quota) that keeps sending requests after a 429.
 *
 * An episode begins with the first denied request of a consumer. It ends with the next admitted
 * request of the consumer, or when the window that denied the request resets. A reset must end the
 * episode. Otherwise an episode could last forever, because other consumers of the account may use
 * up each next window before this consumer is admitted.
 *
 * A denied request is a strike if it comes at least `graceMs` after the episode began. So requests
 * that were already in flight when the quota ran out are not strikes. Strikes are counted in fixed
 * windows, and the first strike opens a window.
 */
export interface BanPolicy {
  readonly graceMs: number;
  /**
   * A consumer is never banned before it has this number of strikes (denied requests that count
   * towards a ban), however small its limit is. 0 switches bans off.
   */
  readonly minStrikes: number;
  /**
   * The number of strikes (denied requests that count towards a ban) before a ban, as a share of
   * the consumer's limit per minute. The larger of this number and `minStrikes` applies.
   */
  readonly strikeShare: number;
  readonly strikeWindowSeconds: number;
  /**
   * The length of the first ban. If a consumer is banned again within `memorySeconds` of its last
   * ban, the new ban is twice as long.
   */
  readonly banSeconds: number;
  readonly maxBanSeconds: number;
  readonly memorySeconds: number;
}

/** The ban policy that applies unless the caller passes another one. */
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
 * Returns the number of strikes (denied requests that count towards a ban) that a consumer may
 * have. The next strike bans the consumer. Returns `undefined` if bans are off.
 */
export function strikeThreshold(
  { minStrikes, strikeShare }: Pick<BanPolicy, 'minStrikes' | 'strikeShare'>,
  { perMinute }: Pick<Quota, 'perMinute'>,
): number | undefined {
  if (minStrikes === 0) return undefined;
  return Math.max(minStrikes, Math.floor(perMinute * strikeShare));
}

/**
 * Returns whether a consumer has so many strikes (denied requests that count towards a ban) that
 * its next 429 should warn about a ban. The warning begins at half the threshold.
 */
export function isWarned(strikes: number, threshold: number | undefined): boolean {
  return threshold !== undefined && strikes >= threshold / 2;
}

/**
 * Returns the length of a ban in seconds. `nth` is 1 for the first ban, and 2 for the second ban in
 * a row.
 */
export function banLengthSeconds(policy: BanPolicy, nth: number): number {
  return Math.min(policy.banSeconds * 2 ** (nth - 1), policy.maxBanSeconds);
}
