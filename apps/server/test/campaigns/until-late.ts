import { hangMs, until } from '@animal-store/testkit';

/** As `until`, for what takes longer than an event may: a failover, a missed heartbeat, a long sum. */
export const untilLate: typeof until = (probe) => until(probe, { timeoutMs: hangMs });
