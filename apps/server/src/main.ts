import { resolve } from 'node:path';
import { apiVersion } from '@animal-store/contract';
import manifest from '../package.json' with { type: 'json' };
import { createApp } from './api/app.ts';
import { answerMalformedRequests } from './api/malformed-requests.ts';
import { openListener } from './api/open-listener.ts';
import { banner } from './banner.ts';
import { readConfig } from './config.ts';
import { openEmbedded } from './database/open-embedded.ts';
import { openPostgres } from './database/open-postgres.ts';
import { fillOnFirstStart } from './first-start.ts';
import { createKeyRepository } from './keys/key-repository.ts';
import { type Observability, openObservability } from './observability/open-observability.ts';
import { createMetricsApp } from './ops/metrics-app.ts';
import { createIdempotentCreations } from './pets/idempotent-creation.ts';
import { createPetHandlers } from './pets/pet-handlers.ts';
import { createPetRepository } from './pets/pet-repository.ts';
import { openQuotas } from './quotas/open-quotas.ts';
import { StartupError } from './startup-error.ts';

/** The most that a JSON body may hold: sixteen times the longest name, escaped. */
const maxBodyBytes = 16 * 1024;

/** How long requests in flight may take to finish once a stop begins. */
const stopGraceMs = 500;

/** How often idempotency keys that have served their time are deleted. */
const forgetEveryMs = 3_600_000;

// What is opened is closed here, in reverse order: at the end, and when a start fails half-way.
const resources = new AsyncDisposableStack();

try {
  await start();
} catch (error) {
  await resources.disposeAsync();
  if (!(error instanceof StartupError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function start(): Promise<void> {
  const config = readConfig();
  const observability = await openObservability({ ...config, version: manifest.version });
  resources.defer(() => observability.close());
  const { metrics, onEnd, report } = observability;

  const dataDir = config.databaseUrl === undefined ? resolve(config.dataDir) : undefined;

  const database =
    config.databaseUrl === undefined
      ? await openEmbedded(resolve(config.dataDir))
      : await openPostgres(config.databaseUrl);
  resources.defer(() => database.close());
  const demoToken = dataDir === undefined ? undefined : await fillOnFirstStart(database.db);

  const quotas = await openQuotas({ ...config, ...observability });
  resources.defer(() => quotas.close());

  const creations = createIdempotentCreations(database.db);
  const forgetting = setInterval(() => creations.forgetExpired().catch(report), forgetEveryMs);
  resources.defer(() => clearInterval(forgetting));

  const listener = await openListener(config, (port, server) => {
    const origin = config.publicUrl ?? `http://localhost:${port}`;
    const baseUrl = `${origin}/${apiVersion}`;
    answerMalformedRequests(server, { quotas, onEnd });
    return createApp({
      ...config,
      ...observability,
      baseUrl,
      maxBodyBytes,
      quotas,
      keys: createKeyRepository(database.db),
      petHandlers: createPetHandlers({
        pets: createPetRepository(database.db),
        creations,
        baseUrl,
      }),
    });
  });
  resources.defer(() => listener.close(stopGraceMs));

  const ops = await openListener({ host: config.opsHost, port: config.opsPort }, () =>
    createMetricsApp(metrics),
  );
  resources.defer(() => ops.close(stopGraceMs));

  stopOnSignals(observability);
  observability.onListening({
    url: listener.origin,
    opsUrl: ops.origin,
    database: dataDir === undefined ? 'postgres' : 'embedded',
    quotas: config.redisUrls.length === 0 ? 'in-process' : 'redis',
  });
  process.stdout.write(
    banner({ ...config, baseUrl: `${listener.origin}/${apiVersion}`, dataDir, demoToken }),
  );
}

function stopOnSignals({ onStop, report }: Observability): void {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // Somebody is in a hurry: the databases survive it.
      if (stopping) process.exit(1);
      stopping = true;
      onStop(signal);
      resources.disposeAsync().then(
        () => process.exit(0),
        (error: unknown) => {
          report(error);
          process.exit(1);
        },
      );
    });
  }
}
