/** A count in a fixed window. The first request that is counted opens the window. */
export interface WindowCount {
  readonly used: number;
  /** Unix time in milliseconds; 0 while the window is not open. */
  readonly endsAtMs: number;
}

/** Everything that a store keeps about one API key. */
export interface QuotaState {
  readonly minute: WindowCount;
  readonly day: WindowCount;
  /** When the first denial of the current episode was; 0 if there is no episode. */
  readonly episodeBeganAtMs: number;
  readonly strikes: WindowCount;
  /** Earlier bans, as long as they make the next one longer. */
  readonly bans: WindowCount;
  /** End of the current ban; 0 if the key is not banned. */
  readonly bannedUntilMs: number;
}

const notOpen: WindowCount = { used: 0, endsAtMs: 0 };

export const unusedKey: QuotaState = {
  minute: notOpen,
  day: notOpen,
  episodeBeganAtMs: 0,
  strikes: notOpen,
  bans: notOpen,
  bannedUntilMs: 0,
};

/** Treats expired windows and an expired ban as empty. */
export function withoutExpired(state: QuotaState, now: number): QuotaState {
  const unlessOver = (count: WindowCount) => (now < count.endsAtMs ? count : notOpen);
  return {
    minute: unlessOver(state.minute),
    day: unlessOver(state.day),
    episodeBeganAtMs: state.episodeBeganAtMs,
    strikes: unlessOver(state.strikes),
    bans: unlessOver(state.bans),
    bannedUntilMs: now < state.bannedUntilMs ? state.bannedUntilMs : 0,
  };
}

/** Adds one. A window that is not open begins now and lasts `seconds`. */
export function addOne({ used, endsAtMs }: WindowCount, now: number, seconds: number): WindowCount {
  return { used: used + 1, endsAtMs: endsAtMs === 0 ? now + seconds * 1_000 : endsAtMs };
}

/** Ends a ban, and forgets the strikes and earlier bans. The counts of both windows stay. */
export function withoutBan({ minute, day }: QuotaState): QuotaState {
  return { ...unusedKey, minute, day };
}
