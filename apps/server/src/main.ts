import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { apiVersion } from '@animal-store/contract';
import { createApp } from './api/app.ts';
import { answerMalformedRequests } from './api/malformed-requests.ts';
import { type Listener, openListener } from './api/open-listener.ts';
import { openLoadShedder } from './api/shed-load.ts';
import { banner } from './banner.ts';
import { type Config, readConfig } from './config.ts';
import { createMigrationCheck } from './database/migration-check.ts';
import { openEmbedded } from './database/open-embedded.ts';
import { openPostgres } from './database/open-postgres.ts';
import { fillOnFirstStart } from './first-start.ts';
import { createKeyCache } from './keys/key-cache.ts';
import { followKeyChanges } from './keys/key-changes.ts';
import { createKeyRegister } from './keys/key-register.ts';
import { createKeyRepository } from './keys/key-repository.ts';
import { createHealth, type Health } from './ops/health.ts';
import { openOps } from './ops/open-ops.ts';
import { createIdempotentCreations } from './pets/idempotent-creation.ts';
import { createPetHandlers } from './pets/pet-handlers.ts';
import { createPetRepository } from './pets/pet-repository.ts';
import { openQuotas } from './quotas/open-quotas.ts';
import type { Decider } from './quotas/resilient-quotas.ts';
import { StartupError } from './startup-error.ts';

/** The most that a JSON body may hold: sixteen times the longest name, escaped. */
const maxBodyBytes = 16 * 1024;

/** How long requests in flight may take to finish, once no more are accepted, before they are cut. */
const drainTimeoutMs = { person: 500, machine: 5_000 } as const;

/** Ctrl-C reaches us from the terminal, and once more from npm; within this time it is the same one. */
const sameSignalMs = 500;

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

  const keyRepository = createKeyRepository(database.db);
  const keys = createKeyCache({ load: keyRepository.findByHash });
  const stopFollowing = await followKeyChanges(database, keys, quotas.notePardon);
  resources.defer(stopFollowing);

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
  resources.defer(() => ops.close(drainTimeoutMs.person));

  const loadShedder = openLoadShedder(config);
  resources.defer(() => loadShedder.close());

  const listener = await openListener(config, (port, server) => {
    const origin = config.publicUrl ?? `http://localhost:${port}`;
    const baseUrl = `${origin}/${apiVersion}`;
    answerMalformedRequests(server, quotas);
    return createApp({
      ...config,
      shedLoad: loadShedder.step,
      baseUrl,
      maxBodyBytes,
      quotas,
      keys,
      petHandlers: createPetHandlers({
        pets: createPetRepository(database.db),
        creations,
        baseUrl,
      }),
      report,
    });
  });
  resources.defer(() => listener.close(drainTimeoutMs.person));

  // Not before the port is ours: a start that fails would have used up the only showing of the key.
  const demoToken = dataDir === undefined ? undefined : await fillOnFirstStart(database.db);

  stopOnSignals(config, listener, health);
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

/** Stops in order: lets load balancers know, goes on for a while, answers what is there, closes. */
function stopOnSignals(config: Config, listener: Listener, health: Health): void {
  let stoppingSince: number | undefined;
  const stop = (graceMs: number, drainMs: number) => async () => {
    if (stoppingSince !== undefined) {
      // Somebody is in a hurry: the databases survive it.
      if (performance.now() - stoppingSince > sameSignalMs) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    health.setNotReady();
    listener.drain();
    await setTimeout(graceMs);
    try {
      await listener.close(drainMs);
      await resources.disposeAsync();
      process.exit(0);
    } catch (error) {
      report(error);
      process.exit(1);
    }
  };
  // Ctrl-C is a person, who waits; SIGTERM is a machine, behind which others must take notice.
  process.on('SIGINT', stop(0, drainTimeoutMs.person));
  process.on('SIGTERM', stop(config.shutdownGraceMs, drainTimeoutMs.machine));
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
