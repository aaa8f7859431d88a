import type { Wait } from '@animal-store/postgres';
import { DatabaseUnavailableError, faultOf } from '@animal-store/postgres';
import { type Clock, systemClock, waitAtMost } from '@animal-store/runtime';
import type { OpsSettings } from './ops-settings.ts';

/** The readiness of this replica for load balancers, with the reasons if it is not ready. */
export interface HealthReport {
  /** `degraded`: the replica serves requests, but an operator must fix something. */
  readonly status: 'ready' | 'degraded' | 'not_ready';
  /** One sentence for each fault. */
  readonly reasons: readonly string[];
}

/** What other parts of the service report about this replica. */
interface HealthState {
  /** `serving` from the opening of the public port until the shutdown begins. */
  readonly phase: 'starting' | 'serving' | 'stopping';
  /** Why Redis is unavailable; `undefined` if it is available. */
  readonly redisFault: string | undefined;
  /**
   * Returns why Redis refuses this replica, which waiting does not fix; `undefined` if Redis
   * accepts it.
   */
  readonly redisRefusal: () => string | undefined;
  /** What the start waits for; `undefined` if it does not wait. */
  readonly wait: Wait | undefined;
}

export type Health = ReturnType<typeof createHealth>;

/**
 * Creates the health of this replica. It begins as not ready, because the operators' listener opens
 * before the public one.
 *
 * @param options.findDatabaseFault queries the database for a fault that makes every request fail,
 * such as a missing migration.
 * @param options.partialFault returns why some statements fail, such as all writes; `undefined` if
 * none do.
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

  // Probes share one query, so that queries do not pile up while the database hangs.
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
        // Both reasons may be the same, for example that the database refuses connections.
        state.phase !== 'starting' || state.wait?.reason === databaseFault
          ? undefined
          : state.wait?.reason,
      ];
      // A database without a fault has answered this query, so reads work; writes may still fail.
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
