/** What an unban has ended. */
export interface EndedBan {
  readonly strikes: number;
  /** Unix time in seconds; `undefined` if there was no ban. */
  readonly bannedUntil: number | undefined;
}

export const nothingEnded: EndedBan = { strikes: 0, bannedUntil: undefined };

/** @param bannedUntilMs Unix time in milliseconds; 0 if there was no ban. */
export function toEndedBan(strikes: number, bannedUntilMs: number): EndedBan {
  return {
    strikes,
    bannedUntil: bannedUntilMs === 0 ? undefined : Math.ceil(bannedUntilMs / 1_000),
  };
}

/** The one whose ban ends later. Without a ban, the one with more strikes. */
export function laterOf(one: EndedBan, other: EndedBan): EndedBan {
  const [a, b] = [one.bannedUntil ?? 0, other.bannedUntil ?? 0];
  return a > b || (a === b && one.strikes >= other.strikes) ? one : other;
}
