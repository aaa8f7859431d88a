const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The intervals, timeouts and retention periods of the usage counts. */
export const defaultUsageSettings = {
  /** The interval at which usage counts are written to the database. */
  flushMs: 4_000,
  /** The times for which usage is kept by minute, by hour and by day. */
  keptMs: { minutes: 48 * hourMs, hours: 90 * dayMs, days: 400 * dayMs },
  /**
   * The longest time that a shutdown waits until the last counts are written. If the database is
   * available, this takes milliseconds.
   */
  closeTimeoutMs: 3_000,
  /** The interval at which expired usage counts are deleted. */
  deleteExpiredMs: 15 * 60_000,
  /**
   * The time for which a failed flush (a batch of counts) is retried. The time must be shorter than
   * `keepFlushesMs`. Otherwise a flush that was committed without a response could be counted
   * twice.
   */
  giveUpAfterMs: 12 * 3_600_000,
  /**
   * The time for which the database keeps the ids of written flushes (batches of counts). The time
   * must be longer than `giveUpAfterMs`. If the first attempt was committed without a response, the
   * retry must find the id of the flush.
   */
  keepFlushesMs: 24 * 3_600_000,
};

export type UsageSettings = Readonly<typeof defaultUsageSettings>;
