import type { Wait } from '../database/database.ts';
import { DatabaseUnavailableError } from '../database/database-error.ts';
import { faultOf } from '../database/database-fault.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';

/** Whether load balancers should send requests to this replica, and the reasons if not. */
export interface HealthReport {
  /** `degraded`: it serves, but something needs an operator. */
  readonly status: 'ready' | 'degraded' | 'not_ready';
  /** One sentence for each fault. */
  readonly reasons: readonly string[];
}

export type Health = ReturnType<typeof createHealth>;

/**
 * Decides whether this replica is ready. It starts as not ready, because the ops listener opens before the
 * public one.
 *
 * @param options.isMigrated queries whether the database has every migration that this code needs.
 * @param options.partialFault why some statements fail, such as all that write; `undefined` if none do.
 */
export function createHealth(options: {
  /** @default {@link systemClock} */
  clock?: Clock;
  databaseTimeoutMs: number;
  isMigrated: () => Promise<boolean>;
  partialFault?: () => string | undefined;
}) {
  const {
    clock = systemClock,
    databaseTimeoutMs,
    isMigrated,
    partialFault = () => undefined,
  } = options;
  let phase: 'starting' | 'serving' | 'stopping' = 'starting';
  let redisFault: string | undefined;
  let wait: Wait | undefined;
  let asking: Promise<string | undefined> | undefined;

  // Probes share one query, so that they do not pile up while the database hangs.
  const askDatabase = () => {
    asking ??= findFault(isMigrated).finally(() => {
      asking = undefined;
    });
    return asking;
  };

  return {
    /** Sets what the start waits for; `undefined` if it does not. */
    setWait(next: Wait | undefined): void {
      wait = next;
    },

    /** Call it when the public port is open. */
    setReady(): void {
      phase = 'serving';
    },

    /** Call it when a stop begins. */
    setNotReady(): void {
      phase = 'stopping';
    },

    /** Sets why Redis is unavailable; `undefined` when it is back. */
    setRedisFault(fault: string | undefined): void {
      redisFault = fault;
    },

    async report(): Promise<HealthReport> {
      const databaseFault = await waitAtMost(
        { clock, ms: databaseTimeoutMs },
        askDatabase(),
        () => `The database did not answer within ${databaseTimeoutMs} ms.`,
      );
      const obstacles = [
        phase === 'serving' ? undefined : `This replica is ${phase}.`,
        databaseFault,
        // It may be the same: that the database refuses connections.
        phase !== 'starting' || wait?.reason === databaseFault ? undefined : wait?.reason,
      ];
      // The database answers this query, so reads work.
      const faults = [databaseFault === undefined ? partialFault() : undefined, redisFault];
      const reasons = [...obstacles, ...faults].filter((reason) => reason !== undefined);
      if (obstacles.some((reason) => reason !== undefined)) return { status: 'not_ready', reasons };
      return { status: reasons.length === 0 ? 'ready' : 'degraded', reasons };
    },
  };
}

async function findFault(isMigrated: () => Promise<boolean>): Promise<string | undefined> {
  try {
    return (await isMigrated())
      ? undefined
      : 'The database lacks migrations that this version needs.';
  } catch (error) {
    return error instanceof DatabaseUnavailableError
      ? faultOf(error.code).reason
      : 'The migrations of the database cannot be read.';
  }
}
