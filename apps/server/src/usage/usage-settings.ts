const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The intervals, timeouts and retention of the usage ledger. */
export const defaultUsageSettings = {
  /** How often counts are written to the database. */
  flushMs: 4_000,
  /** How long usage is kept by minute, by hour and by day. */
  keptMs: { minutes: 48 * hourMs, hours: 90 * dayMs, days: 400 * dayMs },
  /** How long shutting down waits for the last flush. An available database needs milliseconds. */
  closeTimeoutMs: 3_000,
  /** How often expired counts are deleted. */
  deleteExpiredMs: 15 * 60_000,
  /**
   * How long a failed flush is retried. It must be shorter than `keepFlushesMs`: a flush that was
   * committed without an answer would otherwise be counted twice.
   */
  giveUpAfterMs: 12 * 3_600_000,
  /**
   * How long the ledger remembers which flushes were written. It must be longer than
   * `giveUpAfterMs`: if the first attempt was committed without an answer, the retry must find it.
   */
  keepFlushesMs: 24 * 3_600_000,
};

export type UsageSettings = Readonly<typeof defaultUsageSettings>;
