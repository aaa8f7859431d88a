import { DatabaseUnavailableError } from '../database/database-error.ts';

/** How long the database may take to answer, in milliseconds. */
const databaseTimeoutMs = 1_000;

/** Whether this replica should be sent requests, and why not. */
export interface HealthReport {
  /** `degraded`: it serves, but something needs an operator. */
  readonly status: 'ready' | 'degraded' | 'not_ready';
  /** Whatever is wrong, a sentence each. */
  readonly reasons: readonly string[];
}

export type Health = ReturnType<typeof createHealth>;

/**
 * Knows whether this replica is ready. It is not until it is told that it is, because its probes are
 * answered before its callers are.
 *
 * @param options.isMigrated asks the database whether it has all that this code needs.
 */
export function createHealth(options: { isMigrated: () => Promise<boolean> }) {
  const { isMigrated } = options;
  let phase: 'starting' | 'serving' | 'stopping' = 'starting';
  let redisFault: string | undefined;
  let asking: Promise<string | undefined> | undefined;

  // One question at a time: probes of a database that hangs must not queue up behind each other.
  const askDatabase = () => {
    asking ??= faultOf(isMigrated).finally(() => {
      asking = undefined;
    });
    return asking;
  };

  return {
    /** From now on this replica takes requests. */
    setReady(): void {
      phase = 'serving';
    },

    /** From now on this replica is not ready: its stop has begun. */
    setNotReady(): void {
      phase = 'stopping';
    },

    /** Takes note of why Redis does not decide, or that it does again. */
    setRedisFault(fault: string | undefined): void {
      redisFault = fault;
    },

    async report(): Promise<HealthReport> {
      const databaseFault = await inTime(askDatabase());
      const obstacles = [
        phase === 'serving' ? undefined : `This replica is ${phase}.`,
        databaseFault,
      ];
      const reasons = [...obstacles, redisFault].filter((reason) => reason !== undefined);
      if (obstacles.some((reason) => reason !== undefined)) return { status: 'not_ready', reasons };
      return { status: redisFault === undefined ? 'ready' : 'degraded', reasons };
    },
  };
}

/** What keeps the database from serving. Never its own words: they may hold an address or a user. */
async function faultOf(isMigrated: () => Promise<boolean>): Promise<string | undefined> {
  try {
    return (await isMigrated())
      ? undefined
      : 'The database lacks migrations that this version needs.';
  } catch (error) {
    return error instanceof DatabaseUnavailableError
      ? 'The database cannot be reached.'
      : 'The database does not tell which migrations it has.';
  }
}

async function inTime(fault: Promise<string | undefined>): Promise<string | undefined> {
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(
    () => late.resolve(`The database did not answer within ${databaseTimeoutMs} ms.`),
    databaseTimeoutMs,
  );
  try {
    return await Promise.race([fault, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
