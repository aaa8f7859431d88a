import './resolve-drizzle.ts';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { banner } from './banner.ts';
import type { Observability } from './observability/open-observability.ts';
import { StartupError } from './startup-error.ts';

/** How long requests in flight may take to finish, once no more are accepted, before they are cut. */
const drainTimeoutMs = { SIGINT: 500, SIGTERM: 5_000 } as const;

/**
 * A signal to the whole process group, as a terminal's Ctrl-C and systemd's SIGTERM are, reaches us
 * directly and once more from npm; within this time it is the same one.
 */
const sameSignalMs = 500;

type StopSignal = keyof typeof drainTimeoutMs;

let stop: (signal: StopSignal) => Promise<void> = callOff;
let stopping: { readonly signal: NodeJS.Signals; readonly since: number } | undefined;
let failed = false;
let observability: Observability | undefined;

// Before anything else: what the start needs takes a while to load, and a signal that nobody handles
// does nothing to process 1 of a container.
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
// Unhandled rejections come here as well.
process.on('uncaughtException', fail);
// Only the banner goes there, and whoever does not get it can be served all the same.
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
  const settings = readConfig();
  const dataDir = settings.databaseUrl === undefined ? resolve(settings.dataDir) : undefined;
  const config = { ...settings, dataDir };
  const database = dataDir === undefined ? 'postgres' : 'embedded';

  await using starting = new AsyncDisposableStack();
  const observing = await openObservability({ ...config, version: manifest.version });
  observability = observing;
  starting.defer(() => observing.close());
  const service = await openService(config, observing);
  starting.move();

  stop = async (signal) => {
    service.drain();
    // Ctrl-C is a person, who waits; SIGTERM is a machine, behind which others must take notice.
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
    database,
    quotas: config.redisUrls.length === 0 ? 'in-process' : 'redis',
  });
  process.stdout.write(banner({ ...config, ...service }));
}

function onSignal(signal: NodeJS.Signals): void {
  if (stopping !== undefined) {
    // Somebody is in a hurry: the databases survive it.
    const isEcho = signal === stopping.signal && performance.now() - stopping.since < sameSignalMs;
    if (!isEcho) process.exit(1);
    return;
  }
  stopping = { signal, since: performance.now() };
  observability?.onStop(signal);
  void stop(signal as StopSignal);
}

/**
 * Ends a start that is not over. Nobody is served yet, and what it has begun can be cut anywhere:
 * migrations and the first filling are transactions, a half-made embedded database is made anew, and
 * locks go with the process. A stop that was asked for is no failure, so the exit code is 0.
 */
async function callOff(): Promise<void> {
  await observability?.close();
  process.exit(0);
}

/** Ends the process: after a failure that nobody expected, its state may be anything. */
async function fail(failure: unknown): Promise<void> {
  // What follows from the first one is no news.
  if (failed) return;
  failed = true;
  if (observability === undefined) process.stderr.write(`${inspect(failure)}\n`);
  else await observability.onFatal(failure);
  process.exit(1);
}
