import type { BanPolicy, Quota } from '@animal-store/contract';

/** How many strikes a key has before the next one bans it; `undefined` if none ever does. */
export function strikeThreshold(policy: BanPolicy, quota: Quota): number | undefined {
  if (policy.minStrikes === 0) return undefined;
  return Math.max(policy.minStrikes, Math.floor(quota.perMinute * policy.strikeShare));
}

/** Whether a caller with so many strikes should be told where it is heading. */
export function isWarned(strikes: number, threshold: number | undefined): boolean {
  return threshold !== undefined && strikes >= threshold / 2;
}

/** Length in seconds of the `nth` ban of a row, counted from 1. */
export function banLengthSeconds(policy: BanPolicy, nth: number): number {
  return Math.min(policy.banSeconds * 2 ** (nth - 1), policy.maxBanSeconds);
}
