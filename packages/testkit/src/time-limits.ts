/** How long a test waits for one event before it fails. */
export const eventMs = 10_000;

/**
 * How long a process may take to start or to end, or a browser to load a page. This limit only
 * stops tests that hang.
 */
export const hangMs = 120_000;

/**
 * Timeouts for quotas in Redis that are long enough for a busy machine. With the default timeouts,
 * quotas would start or decide without Redis if Redis responded slowly.
 */
export const patientQuotas = {
  timeoutMs: hangMs,
  connectTimeoutMs: hangMs,
  firstConnectionTimeoutMs: hangMs,
} as const;
