import './resolve-drizzle.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { banner } from './banner.ts';
import type { Observability } from './observability/open-observability.ts';
import { StartupError } from './shared/startup-error.ts';

/** How long requests in flight may take to finish before their connections are cut. */
const drainTimeoutMs = { SIGINT: 2_000, SIGTERM: 5_000 } as const;

/**
 * Ctrl-C in a terminal and systemd's SIGTERM go to the whole process group: the signal arrives directly,
 * and again from npm. Within this time the second one is the same signal.
 */
const sameSignalMs = 500;

type StopSignal = keyof typeof drainTimeoutMs;

let stop: (signal: StopSignal) => Promise<void> = callOff;
let stopping: { readonly signal: NodeJS.Signals; readonly since: number } | undefined;
let failed = false;
let observability: Observability | undefined;

// First, because loading the rest takes a while, and process 1 of a container ignores unhandled signals.
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
// Includes unhandled rejections.
process.on('uncaughtException', fail);
// Only the banner is written there. The service works without it.
process.stdout.on('error', () => {});

try {
  await main();
} catch (error) {
  if (error instanceof StartupError) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  } else await fail(error);
}

async function main(): Promise<void> {
  const [{ readConfig }, { openObservability }, { openService }] = await Promise.all([
    import('./config.ts'),
    import('./observability/open-observability.ts'),
    import('./service.ts'),
  ]);
  const config = readConfig();

  await using starting = new AsyncDisposableStack();
  const { logLevel, logFormat, otlpEndpoint, traceSampleShare } = config;
  const observing = await openObservability({
    version: manifest.version,
    ...{ logLevel, logFormat, otlpEndpoint, traceSampleShare },
  });
  observability = observing;
  starting.defer(() => observing.close());
  const service = await openService(config, observing);
  starting.move();

  stop = async (signal) => {
    service.drain();
    // After SIGTERM load balancers need time to notice. After Ctrl-C a person waits.
    await sleep(signal === 'SIGTERM' ? config.shutdownGraceMs : 0);
    try {
      await service.close(drainTimeoutMs[signal]);
    } catch (error) {
      observing.report(error);
      process.exitCode = 1;
    }
    await observing.close();
    process.exit();
  };

  observing.onListening({
    url: service.baseUrl,
    opsUrl: service.opsUrl,
    database: config.database.kind,
    quotas: config.redisUrls.length === 0 ? 'in-process' : 'redis',
  });
  const { baseUrl, opsUrl, demoToken } = service;
  const dataDir = config.database.kind === 'embedded' ? config.database.dataDir : undefined;
  process.stdout.write(
    banner({
      ...{ baseUrl, dataDir, opsUrl, demoToken },
      redisUrls: config.redisUrls,
      hasAdminToken: config.adminToken !== undefined,
    }),
  );
}

function onSignal(signal: NodeJS.Signals): void {
  if (stopping !== undefined) {
    // A second signal ends the process at once. The databases survive that.
    const isEcho = signal === stopping.signal && performance.now() - stopping.since < sameSignalMs;
    if (!isEcho) process.exit(1);
    return;
  }
  stopping = { signal, since: performance.now() };
  observability?.onStop(signal);
  void stop(signal as StopSignal);
}

/**
 * Ends a start that is not finished. It can be cut anywhere: migrations and the first animals are
 * transactions, an incomplete embedded database is created again, and locks end with the process. A
 * requested stop is no failure, so the exit code is 0.
 */
async function callOff(): Promise<void> {
  await observability?.close();
  process.exit(0);
}

/** Ends the process: after an unexpected failure its state is unknown. */
async function fail(failure: unknown): Promise<void> {
  // Report the first failure only; later ones may follow from it.
  if (failed) return;
  failed = true;
  if (observability === undefined) process.stderr.write(`${inspect(failure)}\n`);
  else await observability.onFatal(failure);
  process.exit(1);
}
