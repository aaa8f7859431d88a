import { apiVersion } from '@animal-store/contract';
import { createApp } from './api/app.ts';
import type { Config } from './config.ts';
import { createMigrationCheck } from './database/migrations.ts';
import { openEmbedded } from './database/open-embedded.ts';
import { openPostgres } from './database/open-postgres.ts';
import { fillOnFirstStart } from './first-start.ts';
import { limitConnectionsPerNetwork } from './http/limit-connections.ts';
import { openListener } from './http/listener.ts';
import { openLoadShedder } from './http/shed-load.ts';
import { createKeyCache } from './keys/key-cache.ts';
import { followKeyChanges } from './keys/key-changes.ts';
import { createKeyLookup } from './keys/key-lookup.ts';
import { createKeyManagement } from './keys/key-management.ts';
import type { Observability } from './observability/open-observability.ts';
import { createHealth } from './ops/health.ts';
import { openOps } from './ops/open-ops.ts';
import { createIdempotentCreations } from './pets/idempotent-creation.ts';
import { createPetHandlers } from './pets/pet-handlers.ts';
import { createPetRepository } from './pets/pet-repository.ts';
import { redisAway } from './quotas/circuit-breaker.ts';
import { openQuotas } from './quotas/open-quotas.ts';

/** The most that a JSON body may hold: sixteen times the longest name, escaped. */
const maxBodyBytes = 16 * 1024;

/** How often expired idempotency keys are deleted. */
const deleteEveryMs = 3_600_000;

/** How long a listener that nobody asked to drain may take to close. */
const closeTimeoutMs = 500;

/** A service that serves. */
export interface Service {
  /** Where the public API is, ending in `/v1`. */
  readonly baseUrl: string;
  /** Where the operators' listener is. */
  readonly opsUrl: string;
  /** Whether there is an admin API. */
  readonly hasAdmin: boolean;
  /** The demo key's token, on the first start on an embedded database. */
  readonly demoToken: string | undefined;
  /** Says to load balancers that this replica is going, and serves on. */
  drain(): void;
  /** Accepts no more, answers what is under way for `timeoutMs` at most, and closes everything. */
  close(timeoutMs: number): Promise<void>;
}

/**
 * Opens everything that the service is made of, and serves.
 *
 * @param dataDir where the embedded database is; `undefined` with Postgres.
 * @throws {StartupError} if something cannot be had; what was opened before is closed.
 */
export async function openService(
  config: Omit<Config, 'dataDir'> & { dataDir: string | undefined },
  observability: Observability,
): Promise<Service> {
  const { dataDir } = config;
  const { report } = observability;
  // What is opened is closed in reverse order: at the end, and when a start fails half-way.
  await using opened = new AsyncDisposableStack();

  const database =
    dataDir === undefined
      ? await openPostgres(config.databaseUrl ?? '')
      : await openEmbedded(dataDir);
  opened.defer(() => database.close());
  const health = createHealth({ isMigrated: createMigrationCheck(database.db) });

  const quotas = await openQuotas({
    ...config,
    ...observability,
    onBreaker(state, reason) {
      observability.onBreaker(state, reason);
      health.setRedisFault(state === 'open' ? `${redisAway}.` : undefined);
    },
  });
  opened.defer(() => quotas.close());

  const keys = createKeyCache({ load: createKeyLookup(database.db) });
  opened.defer(await followKeyChanges(database, keys, quotas.forgetBan));

  const creations = createIdempotentCreations(database.db);
  const deleting = setInterval(() => creations.deleteExpired().catch(report), deleteEveryMs);
  opened.defer(() => clearInterval(deleting));

  const loadShedder = openLoadShedder(config);
  opened.defer(() => loadShedder.close());
  observability.metrics.watchInFlight(() => loadShedder.inFlight);

  // Opened before the public listener, so closed after it: a stop can be watched to its end.
  const ops = await openOps({
    ...config,
    ...observability,
    health,
    keys: createKeyManagement(database.db, keys.forget),
    quotas,
  });
  opened.defer(() => ops.close(closeTimeoutMs));

  const listener = await openListener({ ...config, report }, (port, server) => {
    const origin = config.publicUrl ?? `http://localhost:${port}`;
    const baseUrl = `${origin}/${apiVersion}`;
    if (config.maxConnectionsPerNetwork > 0) {
      limitConnectionsPerNetwork(server, config.maxConnectionsPerNetwork);
    }
    return createApp({
      ...config,
      ...observability,
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
    });
  });
  opened.defer(() => listener.close(closeTimeoutMs));

  // Not before the port is ours: a start that fails would have used up the only showing of the key.
  const demoToken = dataDir === undefined ? undefined : await fillOnFirstStart(database.db);

  health.setReady();
  const kept = opened.move();
  function drain() {
    health.setNotReady();
    listener.drain();
  }
  return {
    baseUrl: `${listener.origin}/${apiVersion}`,
    opsUrl: ops.origin,
    hasAdmin: ops.hasAdmin,
    demoToken,
    drain,
    async close(timeoutMs) {
      drain();
      await listener.close(timeoutMs);
      await kept.disposeAsync();
    },
  };
}
