const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** When counts of requests are written, and how long they are kept. */
export const defaultUsageSettings = {
  /** How often counts are written to the database. */
  flushMs: 4_000,
  /** How long usage is kept by the minute, by the hour and by the day. */
  keptMs: { minutes: 48 * hourMs, hours: 90 * dayMs, days: 400 * dayMs },
  /** How long a stop waits for the last flush. A database that is up takes milliseconds. */
  closeTimeoutMs: 3_000,
  /** How often old counts are looked for. */
  deleteExpiredMs: 15 * 60_000,
  /**
   * How long a flush is tried. Shorter than flushes are known: one whose first try was committed without
   * an answer would be counted again.
   */
  giveUpAfterMs: 12 * 3_600_000,
  /**
   * How long it is known that a flush was written. Longer than replicas try to write one: if the first try
   * was committed without an answer, the next one must find it.
   */
  keepFlushesMs: 24 * 3_600_000,
};

export type UsageSettings = Readonly<typeof defaultUsageSettings>;
