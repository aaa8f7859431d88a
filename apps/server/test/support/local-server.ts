import { devNull } from 'node:os';
import { createTestClock, type TestClock } from '@animal-store/runtime/test-clock';
import { eventMs, expectNoToken, patientEnv, type Server, until } from '@animal-store/testkit';
import manifest from '../../package.json' with { type: 'json' };
import { environmentVariables, readConfig } from '../../src/config.ts';
import type { ObservabilitySettings } from '../../src/observability/observability-settings.ts';
import { openObservability } from '../../src/observability/open-observability.ts';
import { openService, type ServiceOptions } from '../../src/service.ts';
import { drainMs } from '../../src/stop-process.ts';
import { patientDatabase } from './databases.ts';

/** What a test knows of a service that it calls, whether in this process or a process of its own. */
export type AnyServer = AsyncDisposable &
  Pick<Server, 'baseUrl' | 'origin' | 'opsUrl' | 'output' | 'demoKey'>;

/** What a test chooses of a service. */
export type LocalOptions = Omit<ServiceOptions, 'observability'> & {
  readonly observability?: Partial<ObservabilitySettings>;
};

/** A service in this process. `output` is its log. */
export type LocalServer = AnyServer & {
  /** Tells load balancers to go elsewhere, as after SIGTERM. */
  drain(): void;
  /** Stops as after SIGTERM: requests in flight are answered, and what is held in memory is written. */
  stop(): Promise<void>;
  /** Lets time pass by the clock that it was opened with or by its own, and waits for what that starts. */
  pass(ms: number): Promise<void>;
};

/** Repeats `probe` until it returns something truthy. Before each time, a quarter of a second passes for the servers. */
export function untilPassing<T>(servers: readonly LocalServer[], probe: () => T | Promise<T>) {
  return until(async () => {
    for (const server of servers) await server.pass(250);
    return probe();
  });
}

/**
 * Opens a service in this process, as `main.ts` does in its own.
 *
 * Its disposal closes it, and throws if a whole API key is in its log.
 *
 * @param env the environment that it reads, over {@link patientEnv}; nothing of the real one.
 * @param given its clocks and the settings of its rooms, over those of the environment. Its clock stands still until
 * `pass`, unless one is given, so nothing happens between two steps of a test, however long they take. It waits for
 * its stores as long as a test does.
 */
export async function openLocalServer(
  env: Readonly<Record<string, string>>,
  { clock = createTestClock(Date.now()), ...given }: LocalOptions = {},
): Promise<LocalServer> {
  const foreign = Object.keys(env).filter((name) => !environmentVariables.includes(name));
  if (foreign.length > 0) throw new Error(`${foreign} is for a process: see startProcess.`);
  // Without a database of its own, it would use that of whoever runs the tests.
  const config = readConfig({ ...patientEnv, DATA_DIR: devNull, ...env });
  const options = {
    ...given,
    http: { ...config.http, ...given.http },
    api: { ...config.api, ...given.api },
    // Nobody scrapes what a stop has lost.
    ops: { ...config.ops, databaseTimeoutMs: eventMs, lastScrapeMs: 0, ...given.ops },
    database: { ...patientDatabase, ...config.database, ...given.database },
    quotas: { ...config.quotas, firstConnectionTimeoutMs: eventMs, ...given.quotas },
    usage: { ...config.usage, ...given.usage },
    replicas: given.replicas ?? config.replicas,
  };
  const lines: string[] = [];
  const output = () => lines.join('');
  const observability = await openObservability({
    version: manifest.version,
    clock,
    ...config.observability,
    // A stop waits for the last spans as long as a test waits for an event.
    traceFlushTimeoutMs: eventMs,
    ...given.observability,
    writeLog: (line) => lines.push(line),
    // The process is that of the tests.
    measureProcess: () => {},
  });
  try {
    const service = await openService({ ...options, clock, observability });
    const { baseUrl, opsUrl, demoToken: demoKey, drain } = service;
    const database = options.database.place.kind;
    const quotas = options.quotas.redis.length === 0 ? 'in-process' : 'redis';
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
        if (!('advance' in clock)) throw new Error('The clock of the machine passes by itself.');
        await (clock as TestClock).advance(ms);
        await (clock as TestClock).settled();
      },
      stop() {
        stopped ??= close(drainMs.SIGTERM);
        return stopped;
      },
      async [Symbol.asyncDispose]() {
        // Whoever still waits for an answer gets none.
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
