import { resolve } from 'node:path';
import { apiVersion } from '@animal-store/contract';
import { createApp } from './api/app.ts';
import { answerMalformedRequests } from './api/malformed-requests.ts';
import { openListener } from './api/open-listener.ts';
import { banner } from './banner.ts';
import { readConfig } from './config.ts';
import { createMigrationCheck } from './database/migration-check.ts';
import { openEmbedded } from './database/open-embedded.ts';
import { openPostgres } from './database/open-postgres.ts';
import { fillOnFirstStart } from './first-start.ts';
import { createKeyRegister } from './keys/key-register.ts';
import { createKeyRepository } from './keys/key-repository.ts';
import { createHealth } from './ops/health.ts';
import { openOps } from './ops/open-ops.ts';
import { createIdempotentCreations } from './pets/idempotent-creation.ts';
import { createPetHandlers } from './pets/pet-handlers.ts';
import { createPetRepository } from './pets/pet-repository.ts';
import { openQuotas } from './quotas/open-quotas.ts';
import type { Decider } from './quotas/resilient-quotas.ts';
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
  const dataDir = config.databaseUrl === undefined ? resolve(config.dataDir) : undefined;

  const database =
    config.databaseUrl === undefined
      ? await openEmbedded(resolve(config.dataDir))
      : await openPostgres(config.databaseUrl);
  resources.defer(() => database.close());
  const demoToken = dataDir === undefined ? undefined : await fillOnFirstStart(database.db);

  const health = createHealth({ isMigrated: createMigrationCheck(database.db) });

  const quotas = await openQuotas({
    ...config,
    onDecider: (decider, reason) => {
      const message = deciderMessage(decider, reason);
      health.setRedisFault(decider === 'own' ? message : undefined);
      process.stderr.write(`${message}\n`);
    },
  });
  resources.defer(() => quotas.close());

  const creations = createIdempotentCreations(database.db);
  const forgetting = setInterval(() => creations.forgetExpired().catch(report), forgetEveryMs);
  resources.defer(() => clearInterval(forgetting));

  // Opened before the public listener, so closed after it: a stop can be watched to its end.
  const ops = await openOps({
    ...config,
    dataDir,
    health,
    keys: createKeyRegister(database.db),
    quotas,
    report,
  });
  resources.defer(() => ops.close(stopGraceMs));

  const listener = await openListener(config, (port, server) => {
    const origin = config.publicUrl ?? `http://localhost:${port}`;
    const baseUrl = `${origin}/${apiVersion}`;
    answerMalformedRequests(server, quotas);
    return createApp({
      ...config,
      baseUrl,
      maxBodyBytes,
      quotas,
      keys: createKeyRepository(database.db),
      petHandlers: createPetHandlers({
        pets: createPetRepository(database.db),
        creations,
        baseUrl,
      }),
      report,
    });
  });
  resources.defer(() => listener.close(stopGraceMs));
  resources.defer(() => health.setNotReady());

  stopOnSignals();
  process.stdout.write(
    banner({
      ...config,
      baseUrl: `${listener.origin}/${apiVersion}`,
      dataDir,
      opsUrl: ops.origin,
      hasAdmin: ops.hasAdmin,
      demoToken,
    }),
  );
}

function stopOnSignals(): void {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // Somebody is in a hurry: the databases survive it.
      if (stopping) process.exit(1);
      stopping = true;
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

/** Says whose limits hold, for the operator. */
function deciderMessage(decider: Decider, reason: unknown): string {
  const why = reason instanceof Error ? reason.message : String(reason);
  return decider === 'own'
    ? `Redis is away (${why}): this replica limits by its own share until it is back.`
    : 'Redis is back: replicas limit together again.';
}

/** Tells the operator of a failure that is ours. */
function report(failure: unknown, requestId?: string): void {
  const what = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
  process.stderr.write(`${requestId === undefined ? '' : `request ${requestId}: `}${what}\n`);
}
