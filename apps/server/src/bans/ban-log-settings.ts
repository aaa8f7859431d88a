/** The intervals and timeouts of writing bans. */
export const defaultBanLogSettings = {
  /** The interval at which new bans are written to the database. */
  writeMs: 1_000,
  /** The interval at which ended bans are deleted. */
  deleteMs: 3_600_000,
  /**
   * The longest time that a shutdown waits until the last bans are written. A database that is up
   * needs milliseconds.
   */
  closeTimeoutMs: 3_000,
};

export type BanLogSettings = Readonly<typeof defaultBanLogSettings>;
