import './resolve-drizzle.ts';
import { StartupError, stopOnSignals } from '@animal-store/runtime';
import manifest from '../package.json' with { type: 'json' };

// The signal handlers are added before the other modules are loaded, because loading takes a while.
// Process 1 of a container would ignore a signal that arrives before it has a handler.
const stops = stopOnSignals();
// An error while writing the banner to stdout must not stop the service.
process.stdout.on('error', () => {});

try {
  await main();
} catch (error) {
  if (error instanceof StartupError) stops.failStart(error.message);
  else await stops.fail(error);
}

async function main(): Promise<void> {
  const [{ banner }, { checkOpenFiles }, { readConfig }, { openObservability }, { openService }] =
    await Promise.all([
      import('./banner.ts'),
      import('./check-open-files.ts'),
      import('./config.ts'),
      import('@animal-store/observability'),
      import('./service.ts'),
    ]);
  const config = readConfig();
  checkOpenFiles(config.database.place.kind);

  await using starting = new AsyncDisposableStack();
  const observability = await openObservability({
    version: manifest.version,
    ...config.observability,
  });
  starting.defer(() => observability.close());
  stops.useLog(observability);
  observability.onIgnoredSettings(config.notes);
  const service = await openService({ ...config, observability });
  starting.move();
  stops.useService(service, config.shutdownGraceMs);

  observability.onListening({
    url: service.baseUrl,
    opsUrl: service.opsUrl,
    database: config.database.place.kind,
    quotas: config.quotas.redis.length === 0 ? 'in-process' : 'redis',
  });
  const { baseUrl, opsUrl, demoToken } = service;
  const { dataDir } = config.database.place;
  process.stdout.write(
    banner({
      ...{ baseUrl, dataDir, opsUrl, demoToken },
      redisUrls: config.quotas.redis,
      hasAdminToken: config.ops.adminToken !== undefined,
    }),
  );
}
