import type { Wait } from '@animal-store/postgres';
import { DatabaseUnavailableError, faultOf } from '@animal-store/postgres';
import { type Clock, systemClock, waitAtMost } from '@animal-store/runtime';
import type { OpsSettings } from './ops-settings.ts';

/**
 * A report for load balancers about whether this replica is ready, with the reasons if it is not
 * ready or is degraded.
 */
export interface HealthReport {
  /**
   * The readiness of this replica. `degraded` means that the replica serves requests, but an
   * operator must fix something.
   */
  readonly status: 'ready' | 'degraded' | 'not_ready';
  /** The faults of this replica, one sentence each. */
  readonly reasons: readonly string[];
}

/** The facts about this replica that other parts of the service report. */
interface HealthState {
  /**
   * The phase of the process. It is `serving` from the opening of the public port until the
   * shutdown begins.
   */
  readonly phase: 'starting' | 'serving' | 'stopping';
  /** The reason why Redis is unavailable; `undefined` if Redis is available. */
  readonly redisFault: string | undefined;
  /**
   * Returns why Redis refuses this replica, for example because of a wrong password. Returns
   * `undefined` if Redis accepts the replica. An operator must fix the cause of a refusal.
   */
  readonly redisRefusal: () => string | undefined;
  /** What the start of the service waits for; `undefined` if it does not wait. */
  readonly wait: Wait | undefined;
}

export type Health = ReturnType<typeof createHealth>;

/**
 * Creates the health report of this replica. The replica is not ready at first, because the ops
 * listener opens before the public port. Otherwise a load balancer would send requests too early.
 *
 * @param options.findDatabaseFault a function that queries the database for a fault that makes
 * every request fail, such as a missing migration.
 * @param options.partialFault a function that returns why some SQL statements fail, such as all
 * writes. It returns `undefined` if no statements fail.
 */
export function createHealth(options: {
  /**
   * The clock that measures the timeouts of health checks.
   *
   * @default {@link systemClock}
   */
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

  // Health checks that arrive at the same time share one query, so that queries do not pile up
  // while the database does not respond.
  const askDatabase = () => {
    asking ??= describeFault(findDatabaseFault).finally(() => {
      asking = undefined;
    });
    return asking;
  };

  return {
    update(change: Partial<HealthState>): void {
      state = { ...state, ...change };
    },

    async report(): Promise<HealthReport> {
      const databaseFault = await waitAtMost(
        { clock, ms: databaseTimeoutMs },
        askDatabase(),
        () => `The database did not respond within ${databaseTimeoutMs} ms.`,
      );
      const notReadyReasons = [
        state.phase === 'serving' ? undefined : `This replica is ${state.phase}.`,
        databaseFault,
        // While this replica starts, it may wait because of the fault that `askDatabase` has found,
        // for example that the database refuses connections. The response then lists the fault only
        // once.
        state.phase !== 'starting' || state.wait?.reason === databaseFault
          ? undefined
          : state.wait?.reason,
      ];
      // If the query found no fault, reads work, but writes may still fail. `partialFault` then
      // returns the reason.
      const faults = [databaseFault === undefined ? partialFault() : undefined, state.redisFault];
      const refusal = state.redisFault === undefined ? undefined : state.redisRefusal();
      if (refusal !== undefined) faults.push(`${refusal}.`);
      const reasons = [...notReadyReasons, ...faults].filter((reason) => reason !== undefined);
      if (notReadyReasons.some((reason) => reason !== undefined))
        return { status: 'not_ready', reasons };
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
      : 'The table of migrations cannot be read. Check the permissions of the database role.';
  }
}
