/** The intervals and timeouts of the audit log. */
export const defaultAuditSettings = {
  /** How often starts of bans are written. */
  writeMs: 1_000,
  /** How often expired entries and ended bans are deleted. */
  deleteMs: 3_600_000,
  /**
   * How long shutting down waits until the last bans are written. An available database needs
   * milliseconds.
   */
  closeTimeoutMs: 3_000,
};

export type AuditSettings = Readonly<typeof defaultAuditSettings>;
