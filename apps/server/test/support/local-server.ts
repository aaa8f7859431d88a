import { devNull } from 'node:os';
import type { ObservabilitySettings } from '@animal-store/observability';
import { openObservability } from '@animal-store/observability';
import { drainMs } from '@animal-store/runtime';
import { createTestClock, type TestClock } from '@animal-store/runtime/test-clock';
import { eventMs, expectNoToken, patientEnv, type Server, until } from '@animal-store/testkit';
import manifest from '../../package.json' with { type: 'json' };
import { environmentVariables, readConfig } from '../../src/config.ts';
import { openService, type ServiceOptions } from '../../src/service.ts';
import { patientDatabase } from './databases.ts';

/**
 * The properties of a running service that tests use, both for a service in the process of the test
 * and for a service in its own process.
 */
export type AnyServer = AsyncDisposable &
  Pick<Server, 'baseUrl' | 'origin' | 'opsUrl' | 'output' | 'demoKey'>;

/** The settings of the service that a test chooses. */
export type LocalOptions = Omit<ServiceOptions, 'observability'> & {
  readonly observability?: Partial<ObservabilitySettings>;
};

/** A service that runs in this process. `output` returns its log. */
export type LocalServer = AnyServer & {
  /** Reports to load balancers that the service is stopping, as SIGTERM does. */
  drain(): void;
  /**
   * Stops the service, as SIGTERM does. Requests in flight are finished, and data in memory is
   * written to the database.
   */
  stop(): Promise<void>;
  /** Advances the clock of the service, and waits for the work of the timers that have expired. */
  pass(ms: number): Promise<void>;
};

/**
 * Settings for tests that send more requests to the ops listener than operators do. With the
 * default limits, the service would delay these requests until its clock moves, but the clock of a
 * test stands still.
 */
const unpaced = { adminRequestsPerSecond: 1e6, otherRequestsPerSecond: 1e6 };

/**
 * Repeats `probe` until it returns a truthy value. Before each attempt, the clocks of the servers
 * advance by 250 ms.
 */
export function untilPassing<T>(servers: readonly LocalServer[], probe: () => T | Promise<T>) {
  return until(async () => {
    for (const server of servers) await server.pass(250);
    return probe();
  });
}

/**
 * Opens a service in this process, as `main.ts` does in its process.
 *
 * Disposing the service closes it. Disposing throws if the log contains a whole API key.
 *
 * @param env the environment variables of the service, in addition to {@link patientEnv}. The real
 * environment variables of the process are not read.
 * @param options the clocks and the settings of the service, which take precedence over `env`. By
 * default, the clock stands still until a test calls `pass`, so that nothing happens between two
 * steps of the test. The timeouts for Postgres and Redis are as long as the timeouts of tests.
 */
export async function openLocalServer(
  env: Readonly<Record<string, string>>,
  { clock = createTestClock(Date.now()), ...options }: LocalOptions = {},
): Promise<LocalServer> {
  const foreign = Object.keys(env).filter((name) => !environmentVariables.includes(name));
  if (foreign.length > 0)
    throw new Error(`${foreign} needs a process of its own: use startProcess.`);
  // DATA_DIR is set, because the service would otherwise use the developer's own database.
  const config = readConfig({ ...patientEnv, DATA_DIR: devNull, ...env });
  const serviceOptions = {
    ...options,
    http: { ...config.http, ...options.http },
    api: { ...config.api, ...options.api },
    // A shutdown does not wait for a last scrape, because tests do not scrape the metrics.
    ops: { ...config.ops, databaseTimeoutMs: eventMs, lastScrapeMs: 0, ...unpaced, ...options.ops },
    database: { ...patientDatabase, ...config.database, ...options.database },
    quotas: { ...config.quotas, firstConnectionTimeoutMs: eventMs, ...options.quotas },
    usage: { ...config.usage, ...options.usage },
    replicas: options.replicas ?? config.replicas,
  };
  const lines: string[] = [];
  const output = () => lines.join('');
  const observability = await openObservability({
    version: manifest.version,
    clock,
    ...config.observability,
    // A shutdown waits for the last spans as long as a test waits for an event.
    traceFlushTimeoutMs: eventMs,
    ...options.observability,
    writeLog: (line) => lines.push(line),
    // The metrics about the process are left out, because the process does not belong to the
    // service but to the tests.
    measureProcess: () => {},
  });
  try {
    const service = await openService({ ...serviceOptions, clock, observability });
    const { baseUrl, opsUrl, demoToken: demoKey, drain } = service;
    const database = serviceOptions.database.place.kind;
    const quotas = serviceOptions.quotas.redis.length === 0 ? 'in-process' : 'redis';
    observability.onListening({ url: baseUrl, opsUrl, database, quotas });
    let stopped: Promise<void> | undefined;
    async function close(timeoutMs: number) {
      await service.close(timeoutMs);
      await observability.close();
    }
    return {
      ...{ baseUrl, opsUrl, demoKey, drain, output },
      origin: new URL(baseUrl).origin,
      async pass(ms) {
        if (!('advance' in clock))
          throw new Error(
            '`pass` needs a test clock, but this service uses the clock of the machine.',
          );
        await (clock as TestClock).advance(ms);
        await (clock as TestClock).settled();
      },
      stop() {
        stopped ??= close(drainMs.SIGTERM);
        return stopped;
      },
      async [Symbol.asyncDispose]() {
        // Requests that are in flight at the end of a test get no response.
        stopped ??= close(0);
        await stopped;
        expectNoToken(output());
      },
    };
  } catch (error) {
    await observability.close();
    throw error;
  }
}
