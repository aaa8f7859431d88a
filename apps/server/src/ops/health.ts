import type { Wait } from '@animal-store/postgres';
import { DatabaseUnavailableError, faultOf } from '@animal-store/postgres';
import { type Clock, systemClock, waitAtMost } from '@animal-store/runtime';
import type { OpsSettings } from './ops-settings.ts';

/** Whether load balancers should send requests to this replica, and the reasons if not. */
export interface HealthReport {
  /** `degraded`: it serves, but something needs an operator. */
  readonly status: 'ready' | 'degraded' | 'not_ready';
  /** One sentence for each fault. */
  readonly reasons: readonly string[];
}

/** What others tell about this replica. */
interface HealthState {
  /** `serving` from the moment that the public port is open until a stop begins. */
  readonly phase: 'starting' | 'serving' | 'stopping';
  /** Why Redis is unavailable; `undefined` if it is not. */
  readonly redisFault: string | undefined;
  /** Why Redis refuses this replica, which no waiting mends; `undefined` if it does not. */
  readonly redisRefusal: () => string | undefined;
  /** What the start waits for; `undefined` if it does not. */
  readonly wait: Wait | undefined;
}

export type Health = ReturnType<typeof createHealth>;

/**
 * Decides whether this replica is ready. It starts as not ready, because the ops listener opens before the
 * public one.
 *
 * @param options.findDatabaseFault asks the database for what makes every request fail, such as a missing migration.
 * @param options.partialFault why some statements fail, such as all that write; `undefined` if none do.
 */
export function createHealth(options: {
  /** @default {@link systemClock} */
  clock?: Clock;
  databaseTimeoutMs: OpsSettings['databaseTimeoutMs'];
  findDatabaseFault: () => Promise<string | undefined>;
  partialFault: () => string | undefined;
}) {
  const { clock = systemClock, databaseTimeoutMs, findDatabaseFault, partialFault } = options;
  let state: HealthState = {
    phase: 'starting',
    redisFault: undefined,
    redisRefusal: () => undefined,
    wait: undefined,
  };
  let asking: Promise<string | undefined> | undefined;

  // Probes share one query, so that they do not pile up while the database hangs.
  const askDatabase = () => {
    asking ??= describeFault(findDatabaseFault).finally(() => {
      asking = undefined;
    });
    return asking;
  };

  return {
    note(change: Partial<HealthState>): void {
      state = { ...state, ...change };
    },

    async report(): Promise<HealthReport> {
      const databaseFault = await waitAtMost(
        { clock, ms: databaseTimeoutMs },
        askDatabase(),
        () => `The database did not answer within ${databaseTimeoutMs} ms.`,
      );
      const obstacles = [
        state.phase === 'serving' ? undefined : `This replica is ${state.phase}.`,
        databaseFault,
        // It may be the same: that the database refuses connections.
        state.phase !== 'starting' || state.wait?.reason === databaseFault
          ? undefined
          : state.wait?.reason,
      ];
      // The database answers this query, so reads work.
      const faults = [databaseFault === undefined ? partialFault() : undefined, state.redisFault];
      const refusal = state.redisFault === undefined ? undefined : state.redisRefusal();
      if (refusal !== undefined) faults.push(`${refusal}.`);
      const reasons = [...obstacles, ...faults].filter((reason) => reason !== undefined);
      if (obstacles.some((reason) => reason !== undefined)) return { status: 'not_ready', reasons };
      return { status: reasons.length === 0 ? 'ready' : 'degraded', reasons };
    },
  };
}

async function describeFault(
  findDatabaseFault: () => Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    return await findDatabaseFault();
  } catch (error) {
    return error instanceof DatabaseUnavailableError
      ? faultOf(error.code).reason
      : 'The migrations of the database cannot be read.';
  }
}
