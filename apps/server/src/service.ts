import { apiVersion } from '@animal-store/contract';
import { type Clock, repeat, systemClock } from '@animal-store/runtime';
import { createAccountManagement } from './accounts/account-management.ts';
import { createApp } from './api/app.ts';
import { createConfirmation } from './api/confirm-caller.ts';
import { keyOf } from './api/identify-caller.ts';
import { openAudit } from './audit/open-audit.ts';
import type { Config } from './config.ts';
import { watchAvailability } from './database/availability.ts';
import { createDatabaseCheck } from './database/migration-check.ts';
import { readBansAsStored } from './database/open-bans.ts';
import { probeDatabase } from './database/probe-database.ts';
import { fillOnFirstStart } from './first-start.ts';
import { limitConnections } from './http/limit-connections.ts';
import { openListener } from './http/listener.ts';
import { openLoadShedder } from './http/shed-load.ts';
import { createReadBans } from './keys/bans-in-force.ts';
import { createKeyCache } from './keys/key-cache.ts';
import { createKeyLookup } from './keys/key-lookup.ts';
import { createKeyManagement } from './keys/key-management.ts';
import type { Observability } from './observability/open-observability.ts';
import { createOperatorManagement } from './operators/operator-management.ts';
import { createOperatorSessions } from './operators/operator-sessions.ts';
import { createHealth } from './ops/health.ts';
import { openOps } from './ops/open-ops.ts';
import { createOverview } from './overview/overview.ts';
import { createIdempotentCreations } from './pets/idempotent-creation.ts';
import { createPetHandlers } from './pets/pet-handlers.ts';
import { createPetRepository } from './pets/pet-repository.ts';
import { openQuotas } from './quotas/open-quotas.ts';
import { redisAway } from './quotas/redis-away.ts';
import { openReplicaChannel } from './replicas/replica-channel.ts';
import { createReplicaCount } from './replicas/replica-count.ts';
import { completeTimings, type SomeTimings } from './shared/timings.ts';
import { openUsage } from './usage/open-usage.ts';

/** A running service. */
export interface Service {
  /** Where the public API is, ending in `/v1`. */
  readonly baseUrl: string;
  /** Where the operators' listener is. */
  readonly opsUrl: string;
  /** The demo key's token, on the first start on an embedded database. */
  readonly demoToken: string | undefined;
  /** Tells load balancers that this replica is stopping. It still answers requests. */
  drain(): void;
  /** Accepts no more requests, gives those in flight `timeoutMs` to finish, and closes everything. */
  close(timeoutMs: number): Promise<void>;
}

/** What only tests choose. */
export interface ServiceTime {
  /** @default {@link systemClock} */
  readonly clock?: Clock;
  /** Others than {@link defaultTimings}. */
  readonly timings?: SomeTimings;
  /** What tells the time that Redis decides requests of keys by; otherwise its own. */
  readonly quotaClock?: Clock;
}

/**
 * Opens all parts of the service, and serves.
 *
 * @throws {StartupError} if a part cannot be opened; the parts before it are closed.
 */
export async function openService(
  config: Config,
  observability: Observability,
  time: ServiceTime = {},
): Promise<Service> {
  const { clock = systemClock, quotaClock } = time;
  const timings = completeTimings(time.timings);
  const { closeTimeoutMs, connectionsCheckingIntervalMs } = timings.http;
  const listenerLimits = { ...config.listenerLimits, connectionsCheckingIntervalMs };
  const { metrics, tracing, onEnd, onOpsEnd, report } = observability;
  const { dataDir } = config.database;
  // Closed in reverse order: at the end, and when a start fails half-way.
  await using opened = new AsyncDisposableStack();

  // Only the driver that is needed is loaded: both would lengthen a start by a tenth.
  const database =
    config.database.kind === 'embedded'
      ? await (await import('./database/open-embedded.ts')).openEmbedded(
          config.database.dataDir,
          timings.database,
        )
      : (await import('./database/open-postgres.ts')).openPostgres(
          config.database.url,
          timings.database,
        );
  opened.defer(() => database.close());
  const availability = watchAvailability({
    clock,
    probeEveryMs: timings.database.probeEveryMs,
    probe: () => probeDatabase(database.db),
    onBegin: observability.onDatabaseLost,
    onEnd: observability.onDatabaseBack,
  });
  opened.defer(() => availability.close());
  const health = createHealth({
    ...timings.health,
    isMigrated: createDatabaseCheck(database),
    partialFault: () => availability.outage()?.reason,
  });

  // Opened before the quotas and the listeners, so closed after them: no ban begins after the last write.
  const audit = openAudit({
    ...database,
    clock,
    timings: timings.audit,
    forgetsBans: config.redisUrls.length === 0,
    onLost: observability.onAuditLost,
    report,
  });
  opened.defer(() => audit.close());

  const counted = createReplicaCount({ clock });
  const replicas = () => config.replicas ?? counted.count();

  const quotas = await openQuotas({
    ...timings.quotas,
    clock,
    redisClock: quotaClock,
    redis: config.redisUrls,
    timeoutMs: config.redisTimeoutMs,
    replicas,
    addressPerMinute: config.addressPerMinute,
    banPolicy: config.banPolicy,
    onBan({ consumer: { id: keyId }, startedAtMs, seconds, scope }) {
      observability.onBan({ keyId, seconds });
      const startedAt = new Date(startedAtMs).toISOString();
      const until = new Date(startedAtMs + seconds * 1_000).toISOString();
      audit.recordBan({ keyId, startedAt, until, scope });
    },
    onBreaker(state, reason) {
      observability.onBreaker(state, reason);
      health.note({ redisFault: state === 'open' ? `${redisAway}.` : undefined });
      if (state === 'closed') audit.endOwnBans();
    },
  });
  opened.defer(() => quotas.close());

  // Opened before the listeners, so closed after them: no request comes after the last flush.
  const usage = openUsage({
    ...database,
    clock,
    timings: timings.usage,
    flushMs: config.usageFlushMs,
    keptMs: config.usageKeptMs,
    onLost: observability.onUsageLost,
    report,
  });
  opened.defer(() => usage.close());

  const keys = createKeyCache({
    load: createKeyLookup(database.db),
    clock,
    timings: timings.keys,
  });
  const creations = createIdempotentCreations(database.db);
  const deleting = repeat(creations.deleteExpired, {
    clock,
    pauseMs: timings.pets.deleteExpiredMs,
    onFailure: report,
  });
  opened.defer(deleting.stop);

  const loadShedder = openLoadShedder({
    ...config,
    clock,
    maxWaiting: listenerLimits.maxConnections,
  });
  opened.defer(() => loadShedder.close());
  metrics.watch({
    animal_store_requests_in_flight: () => loadShedder.inFlight,
    animal_store_requests_waiting: () => loadShedder.waiting,
    animal_store_ready: async () => Number((await health.report()).status !== 'not_ready'),
    animal_store_replicas: replicas,
    // The embedded database sends no heartbeats: there is no connection to lose.
    animal_store_heartbeat_age_seconds: () =>
      dataDir === undefined ? counted.silentMs() / 1_000 : 0,
    animal_store_usage_write_age_seconds: () => usage.writeAgeMs() / 1_000,
  });

  const readBans =
    config.redisUrls.length === 0
      ? readBansAsStored
      : createReadBans(database.operators, quotas.keys);

  // Opened before the database is prepared, so that probes are answered while this replica waits for it.
  // Opened before the public listener, so closed after it: probes are answered until the stop is over.
  const ops = await openOps({
    ...config,
    ...listenerLimits,
    clock,
    timings: timings.ops,
    dataDir,
    health,
    metrics,
    keys: createKeyManagement(database.operators, keys.forget, quotas.keys),
    accounts: createAccountManagement(database.operators, keys.forgetAccount, quotas.keys),
    operators: createOperatorManagement(database.operators),
    sessions: createOperatorSessions(database.operators, config.adminToken),
    quotas,
    usage: usage.ledger,
    audit: audit.log,
    readBans,
    overview: createOverview({
      db: database.operators,
      clock,
      ...timings.overview,
      replicas: counted,
      usage: usage.ledger,
      readBans,
      stores: {
        database: config.database.kind,
        quotas: config.redisUrls.length === 0 ? 'in-process' : 'redis',
      },
    }),
    report,
    onOpsEnd,
  });
  opened.defer(() => ops.close(closeTimeoutMs));

  await database.prepare((wait) => {
    health.note({ wait });
    if (wait !== undefined) observability.onWaiting(wait);
  });
  // Before operators read: bans of a process that was killed are still among those that run.
  await audit.deleteExpired();
  const channel = await openReplicaChannel(database, {
    id: counted.id,
    subscribers: {
      keyChanged: keys.forget,
      accountChanged: keys.forgetAccount,
      seen: counted.hear,
      left: counted.forget,
      missed: keys.forgetAll,
    },
  });
  opened.defer(() => channel.close());

  const listener = await openListener(
    { ...config, ...listenerLimits, report },
    (listeningOn, server) => {
      // The same address as in the banner, except for a wildcard, which browsers refuse.
      const origin =
        config.publicUrl ?? listeningOn.replace(/(?<=\/\/)(0\.0\.0\.0|\[::\])/, 'localhost');
      const baseUrl = `${origin}/${apiVersion}`;
      limitConnections(server, {
        max: listenerLimits.maxConnections,
        maxPerNetwork: config.maxConnectionsPerNetwork,
        onRefused: observability.onConnectionRefused,
      });
      return createApp({
        ...config,
        baseUrl,
        loadShedder,
        report,
        onEnd: [...onEnd, usage.collector.count],
        onShed(method, durationMs) {
          observability.onShed(method);
          usage.collector.countShed(durationMs);
        },
        tracing,
        quotas,
        keys,
        petHandlers: createPetHandlers({
          pets: createPetRepository(database),
          creations,
          baseUrl,
          keyOf,
          confirmCaller: createConfirmation(keys),
        }),
      });
    },
  );
  opened.defer(() => listener.close(closeTimeoutMs));

  // Only once the port is open: the key is shown once, and a start that fails would not show it.
  const demoToken = dataDir === undefined ? undefined : await fillOnFirstStart(database.db);

  health.note({ phase: 'serving' });
  const kept = opened.move();
  function drain() {
    health.note({ phase: 'stopping' });
    listener.drain();
  }
  return {
    baseUrl: `${listener.origin}/${apiVersion}`,
    opsUrl: ops.origin,
    demoToken,
    drain,
    async close(timeoutMs) {
      drain();
      await listener.close(timeoutMs);
      // While the operators' listener is open: what cannot be written is lost now, and the last scrape shows it.
      await Promise.all([usage.close(), audit.close()]);
      await metrics.untilLossIsSeen(timings.ops.lastScrapeMs);
      await kept.disposeAsync();
    },
  };
}
