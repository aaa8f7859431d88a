import { notOpen, unlessOver, type WindowCount } from './window-counts.ts';

/** How close a key is to a ban, its ban, and its earlier bans. */
export interface BanState {
  /** When the first denial of the current episode was; 0 if there is no episode. */
  readonly episodeBeganAtMs: number;
  readonly strikes: WindowCount;
  /** Earlier bans, as long as they make the next one longer. */
  readonly bans: WindowCount;
  /** End of the current ban; 0 if the key is not banned. */
  readonly bannedUntilMs: number;
}

export const notBanned: BanState = {
  episodeBeganAtMs: 0,
  strikes: notOpen,
  bans: notOpen,
  bannedUntilMs: 0,
};

/** Treats what is over as if it had not been. */
export function unlessBanIsOver(ban: BanState, now: number): BanState {
  if (ban === notBanned) return ban;
  return {
    episodeBeganAtMs: ban.episodeBeganAtMs,
    strikes: unlessOver(ban.strikes, now),
    bans: unlessOver(ban.bans, now),
    bannedUntilMs: now < ban.bannedUntilMs ? ban.bannedUntilMs : 0,
  };
}
