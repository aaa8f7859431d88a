/** The strikes (denied requests that count towards a ban) and the ban that an unban has ended. */
export interface EndedBan {
  readonly strikes: number;
  /** The end of the ban, as Unix time in seconds, or `undefined` if there was no ban. */
  readonly bannedUntil: number | undefined;
}

export const noEndedBan: EndedBan = { strikes: 0, bannedUntil: undefined };

/**
 * Creates the result of an unban.
 *
 * @param bannedUntilMs the end of the ban, as Unix time in milliseconds, or 0 if there was no ban.
 */
export function toEndedBan(strikes: number, bannedUntilMs: number): EndedBan {
  return {
    strikes,
    bannedUntil: bannedUntilMs === 0 ? undefined : Math.ceil(bannedUntilMs / 1_000),
  };
}

/**
 * Returns one of the results of two unbans: the result whose ban ends later. If both bans end at
 * the same time, it returns the result with more strikes.
 */
export function laterEnding(one: EndedBan, other: EndedBan): EndedBan {
  const [a, b] = [one.bannedUntil ?? 0, other.bannedUntil ?? 0];
  return a > b || (a === b && one.strikes >= other.strikes) ? one : other;
}
