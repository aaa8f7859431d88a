import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import manifest from '../package.json' with { type: 'json' };
import { banner } from './banner.ts';
import { readConfig } from './config.ts';
import { openObservability } from './observability/open-observability.ts';
import { openService } from './open-service.ts';
import { StartupError } from './startup-error.ts';

/** How long requests in flight may take to finish, once no more are accepted, before they are cut. */
const drainTimeoutMs = { person: 500, machine: 5_000 } as const;

/** Ctrl-C reaches us from the terminal, and once more from npm; within this time it is the same one. */
const sameSignalMs = 500;

try {
  await main();
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const settings = readConfig();
  const dataDir = settings.databaseUrl === undefined ? resolve(settings.dataDir) : undefined;
  const config = { ...settings, dataDir };

  await using starting = new AsyncDisposableStack();
  const observability = await openObservability({ ...config, version: manifest.version });
  starting.defer(() => observability.close());
  const service = await openService(config, observability);
  starting.move();

  let stoppingSince: number | undefined;
  const stop = (graceMs: number, drainMs: number) => async (signal: NodeJS.Signals) => {
    if (stoppingSince !== undefined) {
      // Somebody is in a hurry: the databases survive it.
      const isEcho = signal === 'SIGINT' && performance.now() - stoppingSince < sameSignalMs;
      if (!isEcho) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    observability.onStop(signal);
    service.drain();
    await setTimeout(graceMs);
    try {
      await service.close(drainMs);
    } catch (error) {
      observability.report(error);
      process.exitCode = 1;
    }
    await observability.close();
    process.exit();
  };
  // Ctrl-C is a person, who waits; SIGTERM is a machine, behind which others must take notice.
  process.on('SIGINT', stop(0, drainTimeoutMs.person));
  process.on('SIGTERM', stop(config.shutdownGraceMs, drainTimeoutMs.machine));

  observability.onListening({
    url: service.baseUrl,
    opsUrl: service.opsUrl,
    database: dataDir === undefined ? 'postgres' : 'embedded',
    quotas: config.redisUrls.length === 0 ? 'in-process' : 'redis',
  });
  process.stdout.write(banner({ ...config, ...service }));
}
