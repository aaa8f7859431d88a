/** When bans are written, and old entries deleted. */
export const defaultAuditSettings = {
  /** How often starts of bans are written. */
  writeMs: 1_000,
  /** How often old entries, and bans that are over, are looked for. */
  deleteMs: 3_600_000,
  /** How long a stop waits for the last bans. A database that is up takes milliseconds. */
  closeTimeoutMs: 3_000,
};

export type AuditSettings = Readonly<typeof defaultAuditSettings>;
