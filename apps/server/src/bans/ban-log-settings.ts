/** The intervals and timeouts for writing bans to the database. */
export const defaultBanLogSettings = {
  /** The interval at which new bans are written to the database. */
  writeMs: 1_000,
  /** The interval at which ended bans are deleted. */
  deleteMs: 3_600_000,
  /**
   * The longest time that a shutdown waits until the last bans are written. If the database is
   * available, this takes milliseconds.
   */
  closeTimeoutMs: 3_000,
};

export type BanLogSettings = Readonly<typeof defaultBanLogSettings>;
