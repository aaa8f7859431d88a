/**
 * When a key that keeps asking after a 429 is banned, and for how long.
 *
 * An episode begins with a key's first denial and ends with its next admitted request. A denial
 * that comes `graceMs` or more after the episode began is a strike: requests that were in flight
 * when the quota ran out are not "repeated". Strikes are counted in fixed windows, each opened by
 * the first strike.
 */
export interface BanPolicy {
  readonly graceMs: number;
  /** A ban takes more strikes than this, and more than `strikeShare` of the per-minute limit; 0 switches bans off. */
  readonly minStrikes: number;
  readonly strikeShare: number;
  readonly strikeWindowSeconds: number;
  /** Length of a first ban; each further one within `memorySeconds` of the last is twice as long. */
  readonly banSeconds: number;
  readonly maxBanSeconds: number;
  readonly memorySeconds: number;
}
