import { hangMs, until } from '@animal-store/testkit';

/**
 * Waits in the same way as `until`, but longer, for slow events such as a failover, a missed
 * heartbeat or a long query.
 */
export const untilSlowEvent: typeof until = (probe) => until(probe, { timeoutMs: hangMs });
