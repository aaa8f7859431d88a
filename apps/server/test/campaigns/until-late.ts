import { hangMs, until } from '@animal-store/testkit';

/** Waits like `until`, for events that take longer: a failover, a missed heartbeat, a long sum. */
export const untilLate: typeof until = (probe) => until(probe, { timeoutMs: hangMs });
