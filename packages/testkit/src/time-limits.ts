/**
 * How long a test waits for one event before it gives up.
 *
 * It only ends a hang: no test may need it, however slow or busy the machine is.
 */
export const hangMs = 120_000;
