import { apiVersion } from '@animal-store/contract';
import {
  defaultHttpSettings,
  type HttpSettings,
  limitConnections,
  openListener,
  openLoadShedder,
  toLinkUrl,
} from '@animal-store/http-server';
import type { ObservabilitySettings } from '@animal-store/observability';
import {
  type Observability,
  openObservability,
  redisUnavailable,
} from '@animal-store/observability';
import {
  createDatabaseCheck,
  type DatabaseLimits,
  type DatabasePlace,
  defaultDatabaseLimits,
  defaultPlace,
  probeDatabase,
  runForAll,
  unlessUnavailable,
  watchAvailability,
} from '@animal-store/postgres';
import { type Clock, measureClockDifference, repeat, systemClock } from '@animal-store/runtime';
import manifest from '../package.json' with { type: 'json' };
import { createAccountManagement } from './accounts/account-management.ts';
import { type ApiSettings, defaultApiSettings } from './api/api-settings.ts';
import { createApp } from './api/app.ts';
import { createConfirmation } from './api/confirm-caller.ts';
import { keyOf } from './api/identify-caller.ts';
import { createAuditLog, defaultDeleteAuditMs, deleteExpiredAudit } from './audit/audit-log.ts';
import { readDatabaseTime } from './bans/ban-log.ts';
import type { BanLogSettings } from './bans/ban-log-settings.ts';
import { readBansAsStored } from './bans/current-bans.ts';
import { openBanLog } from './bans/open-ban-log.ts';
import { createBanMoves, finishBanMovesMs } from './keys/ban-moves.ts';
import { createKeyCache, type KeyCacheSettings } from './keys/key-cache.ts';
import { createKeyLookup } from './keys/key-lookup.ts';
import { createKeyManagement } from './keys/key-management.ts';
import { createReadBans } from './keys/read-bans.ts';
import { createOperatorManagement } from './operators/operator-management.ts';
import { createOperatorSessions } from './operators/operator-sessions.ts';
import { createHealth } from './ops/health.ts';
import { openOps } from './ops/open-ops.ts';
import { defaultOpsSettings, type OpsSettings } from './ops/ops-settings.ts';
import { createOverview } from './overview/overview.ts';
import {
  createIdempotentCreations,
  defaultDeleteExpiredMs,
  deleteExpiredIdempotencyKeys,
} from './pets/idempotent-creation.ts';
import { createPetHandlers } from './pets/pet-handlers.ts';
import { createPetRepository } from './pets/pet-repository.ts';
import { openQuotas } from './quotas/open-quotas.ts';
import { defaultQuotaSettings, type QuotaSettings } from './quotas/quota-settings.ts';
import { openChangeChannel } from './replicas/change-channel.ts';
import { createReplicaCount } from './replicas/replica-count.ts';
import { addSampleData } from './sample-data.ts';
import { migrationOptions } from './schema/migration-options.ts';
import { openUsage } from './usage/open-usage.ts';
import type { UsageSettings } from './usage/usage-settings.ts';

/** A running service. */
export interface Service {
  /** The base URL of the public API, ending in `/v1`. */
  readonly baseUrl: string;
  /** The base URL of the ops listener. */
  readonly opsUrl: string;
  /**
   * The token of the demo key at the first start with an embedded database; otherwise `undefined`.
   */
  readonly demoToken: string | undefined;
  /**
   * Makes `/readyz` report to load balancers that this replica is stopping. The replica still
   * handles requests, and closes each connection after its response.
   */
  drain(): void;
  /**
   * Stops accepting requests, waits up to `timeoutMs` for the requests in flight, and closes
   * everything.
   */
  close(timeoutMs: number): Promise<void>;
}

/**
 * The settings of each part of the service. Settings that are not given have the default of their
 * part.
 */
export interface ServiceOptions {
  readonly http?: Partial<HttpSettings>;
  readonly api?: Partial<ApiSettings>;
  readonly ops?: Partial<OpsSettings>;
  readonly database?: Partial<DatabaseLimits> & { readonly place?: DatabasePlace };
  readonly quotas?: Partial<QuotaSettings>;
  /**
   * The number of replicas of the service that share each quota while Redis is unavailable.
   *
   * @default the number of replicas that send heartbeats
   */
  readonly replicas?: number | undefined;
  readonly usage?: Partial<UsageSettings>;
  readonly audit?: { readonly deleteExpiredMs?: number };
  readonly bans?: Partial<BanLogSettings>;
  readonly keys?: Partial<KeyCacheSettings>;
  readonly pets?: { readonly deleteExpiredMs?: number };
  readonly overview?: { readonly countedForMs?: number };
  /**
   * The log, the metrics and the traces: either already open, or the settings with which the
   * service opens and closes them itself.
   */
  readonly observability?: Observability | Partial<ObservabilitySettings>;
  /**
   * The clock of the service, which tests replace by a fake one.
   *
   * @default {@link systemClock}
   */
  readonly clock?: Clock;
  /**
   * The clock by which Redis decides whether a quota admits a request, for tests. By default, Redis
   * uses its own clock.
   */
  readonly quotaClock?: Clock | undefined;
}

/**
 * What the functions below need to open the parts of the service: the options with their defaults,
 * and the opened log, metrics and traces.
 */
interface Context extends ServiceOptions {
  readonly clock: Clock;
  readonly place: DatabasePlace;
  readonly observability: Observability;
  readonly isAlone: boolean;
}

type Stores = Awaited<ReturnType<typeof openStores>>;
type Domain = ReturnType<typeof openDomain>;

/**
 * Opens all parts of the service and starts to serve requests.
 *
 * @throws {StartupError} if a part cannot be opened. The parts that are already open are then
 * closed.
 */
export async function openService(options: ServiceOptions = {}): Promise<Service> {
  const { clock = systemClock, database: { place = defaultPlace } = {}, quotas } = options;
  const { lastScrapeMs } = { ...defaultOpsSettings, ...options.ops };
  // Each group of parts is closed before the groups that it uses, both at a shutdown and after a
  // failed start.
  await using opened = new AsyncDisposableStack();
  let { observability } = options;
  if (observability === undefined || !('report' in observability)) {
    const own = await openObservability({ version: manifest.version, clock, ...observability });
    opened.defer(() => own.close());
    observability = own;
  }
  const { redis } = { ...defaultQuotaSettings, ...quotas };
  const context = { ...options, clock, place, observability, isAlone: redis.length === 0 };
  const stores = opened.use(await openStores(context));
  const domain = opened.use(openDomain(context, stores));
  const { baseUrl, listener, ops } = opened.use(await openListeners(context, stores, domain));

  // The sample data is added after the port is open. The demo key is shown only once, and a start
  // that fails to open the port would not show it.
  const demoToken = place.kind === 'embedded' ? await addSampleData(stores.database.db) : undefined;

  stores.health.update({ phase: 'serving' });
  const kept = opened.move();
  const { metrics } = observability;
  function drain() {
    stores.health.update({ phase: 'stopping' });
    listener.drain();
  }
  return {
    baseUrl,
    opsUrl: ops.origin,
    demoToken,
    drain,
    async close(timeoutMs) {
      drain();
      await listener.close(timeoutMs);
      void observability.tracing?.flush();
      // The usage counts and the log of bans are closed while the ops listener is still
      // open. Counts and bans that cannot be written are lost, and the last metrics scrape shows
      // their number.
      await Promise.all([stores.usage.close(), stores.bans.close()]);
      await metrics.untilLossIsScraped(lastScrapeMs);
      await kept.disposeAsync();
    },
  };
}

/**
 * Opens the parts that store data: the database, the quotas, the usage counts and the log of bans.
 */
async function openStores(context: Context) {
  const { clock, place, isAlone, observability } = context;
  const { onAuditLost, onUsageLost, report } = observability;
  const limits = { ...defaultDatabaseLimits, ...context.database, ...migrationOptions };
  await using opened = new AsyncDisposableStack();

  // Only the driver that is needed is loaded. Loading both drivers would make a start 10 % longer.
  const database =
    place.kind === 'embedded'
      ? await (await import('@animal-store/postgres/open-embedded')).openEmbedded(place.dataDir, {
          ...limits,
          onWarning: observability.onStoreWarning,
        })
      : (await import('@animal-store/postgres/open-postgres')).openPostgres(place.url, limits);
  opened.defer(() => database.close());
  const availability = watchAvailability({
    clock,
    probeEveryMs: limits.probeEveryMs,
    probe: () => probeDatabase(database.db),
    onBegin: observability.onDatabaseLost,
    onEnd: observability.onDatabaseBack,
  });
  opened.defer(() => availability.close());
  const { databaseTimeoutMs } = { ...defaultOpsSettings, ...context.ops };
  const health = createHealth({
    databaseTimeoutMs,
    findDatabaseFault: createDatabaseCheck(database, migrationOptions.migrationsFolder),
    partialFault: () => availability.outage()?.reason,
  });

  // The log of bans is opened before the quotas and closed after them. So the last write of the log
  // contains every ban that this replica has imposed.
  const shared = { ...database, clock, report };
  const bans = openBanLog({
    ...context.bans,
    ...shared,
    forgetsBans: isAlone,
    onLost: onAuditLost,
  });
  opened.defer(() => bans.close());

  const replicaCount = createReplicaCount({ clock });
  const replicas = () => context.replicas ?? replicaCount.count();
  const quotas = await openQuotas({
    ...context.quotas,
    clock,
    redisClock: context.quotaClock,
    replicas,
    onBan({ consumer: { id: keyId }, startedAtMs, seconds, scope }) {
      observability.onBan({ keyId, seconds });
      const startedAt = new Date(startedAtMs).toISOString();
      const until = new Date(startedAtMs + seconds * 1_000).toISOString();
      bans.recordBan({ keyId, startedAt, until, scope });
    },
    onWarning: observability.onStoreWarning,
    onBreaker(state, reason) {
      observability.onBreaker(state, reason);
      health.update({ redisFault: state === 'open' ? `${redisUnavailable}.` : undefined });
      if (state === 'closed') bans.endReplicaBans();
    },
  });
  opened.defer(() => quotas.close());
  health.update({ redisRefusal: quotas.keys.refusal });

  const usage = openUsage({ ...context.usage, ...shared, onLost: onUsageLost });
  opened.defer(() => usage.close());

  const kept = opened.move();
  return {
    ...{ database, health, bans, replicaCount, replicas, quotas, usage },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/**
 * Opens the parts that callers and operators work with: API keys, accounts, operators, animals and
 * the overview.
 */
function openDomain(context: Context, { database, quotas, replicaCount, usage }: Stores) {
  const { clock, isAlone, place, observability } = context;
  const keys = createKeyCache({ ...context.keys, load: createKeyLookup(database.db), clock });
  const creations = createIdempotentCreations(database.db);
  const audit = createAuditLog(database.operators);
  const onFailure = unlessUnavailable(observability.report);
  const banMoves = createBanMoves(database.background, quotas.keys);
  const repetitions = [
    repeat(() => deleteExpiredIdempotencyKeys(database.background), {
      clock,
      pauseMs: context.pets?.deleteExpiredMs ?? defaultDeleteExpiredMs,
      onFailure,
    }),
    repeat(() => deleteExpiredAudit(database.background), {
      clock,
      pauseMs: context.audit?.deleteExpiredMs ?? defaultDeleteAuditMs,
      onFailure,
    }),
    repeat(banMoves.finishAll, { clock, pauseMs: finishBanMovesMs, onFailure }),
  ];
  const readBans = isAlone ? readBansAsStored : createReadBans(database.operators, quotas.keys);
  const { adminToken } = { ...defaultOpsSettings, ...context.ops };
  return {
    keys,
    pets: createPetRepository(database),
    creations,
    audit,
    readBans,
    keyManagement: createKeyManagement(database.operators, keys.invalidate, quotas.keys),
    accounts: createAccountManagement(database.operators, keys.invalidateAccount, quotas.keys),
    operators: createOperatorManagement(database.operators),
    sessions: createOperatorSessions(database.operators, adminToken),
    overview: createOverview({
      ...context.overview,
      db: database.operators,
      clock,
      replicas: replicaCount,
      usage: usage.ledger,
      readBans,
      stores: { database: place.kind, quotas: isAlone ? 'in-process' : 'redis' },
    }),
    async [Symbol.asyncDispose]() {
      await Promise.all(repetitions.map((repetition) => repetition.stop()));
    },
  };
}

/** Opens the ops listener, prepares the database, and then opens the public listener. */
async function openListeners(context: Context, stores: Stores, domain: Domain) {
  const { clock, place, observability } = context;
  const { metrics, report } = observability;
  const { database, health, bans, replicaCount, quotas, usage } = stores;
  const { accounts, audit, keyManagement, operators, overview, readBans, sessions } = domain;
  const { keys, pets, creations } = domain;
  const http = { ...defaultHttpSettings, ...context.http };
  const api = { ...defaultApiSettings, ...context.api };
  await using opened = new AsyncDisposableStack();

  const loadShedder = openLoadShedder({ ...api, clock, maxWaiting: http.maxConnections });
  opened.defer(() => loadShedder.close());
  metrics.watch({
    animal_store_requests_in_flight: () => loadShedder.inFlight,
    animal_store_requests_waiting: () => loadShedder.waiting,
    animal_store_ready: async () => Number((await health.report()).status !== 'not_ready'),
    animal_store_replicas: stores.replicas,
    // With the embedded database, the age is 0. The service then sends no heartbeats, because it
    // uses no network connection that could fail.
    animal_store_heartbeat_age_seconds: () =>
      place.kind === 'postgres' ? replicaCount.silentMs() / 1_000 : 0,
    animal_store_usage_write_age_seconds: () => usage.writeAgeMs() / 1_000,
  });
  metrics.watchClocks({
    redis: quotas.keys.clockDifferenceMs,
    // An embedded database uses the clock of this process.
    ...(place.kind === 'postgres' && {
      postgres: () =>
        measureClockDifference(() => runForAll(() => readDatabaseTime(database.background)), {
          ...systemClock,
          now: clock.now,
        }),
    }),
  });

  // The ops listener opens first. It responds to health checks while this replica waits for
  // the database, and until the shutdown ends.
  const ops = await openOps({
    ...http,
    ...defaultOpsSettings,
    ...context.ops,
    ...{ accounts, operators, overview, readBans, sessions },
    clock,
    dataDir: place.dataDir,
    health,
    metrics,
    keys: keyManagement,
    quotas,
    usage: usage.ledger,
    usageKeptMs: usage.keptMs,
    audit,
    report,
    onOpsEnd: observability.onOpsEnd,
  });
  opened.defer(() => ops.close());

  await database.prepare((wait) => {
    health.update({ wait });
    if (wait !== undefined) observability.onWaiting(wait);
  });
  // Bans that have ended are deleted before operators can read them. A process that was killed may
  // have left them stored as active.
  await bans.deleteEnded();
  const channel = await openChangeChannel(database, {
    id: replicaCount.id,
    subscribers: {
      keyChanged: keys.invalidate,
      accountChanged: keys.invalidateAccount,
      replicaSeen(id) {
        const isNew = replicaCount.recordHeartbeat(id);
        if (isNew && context.isAlone) observability.onQuotasNotShared(replicaCount.count());
        return isNew;
      },
      replicaLeft: replicaCount.forget,
      messagesMissed: keys.invalidateAll,
    },
  });
  opened.defer(() => channel.close());

  const listener = await openListener({ ...http, report }, (listeningOn, server) => {
    // Links contain the public URL, or else the address of the listener.
    const origin = api.publicUrl ?? toLinkUrl(listeningOn);
    const baseUrl = `${origin}/${apiVersion}`;
    const { redis } = { ...defaultQuotaSettings, ...context.quotas };
    observability.tracing?.describe({ origin, database: database.address, redis });
    limitConnections(server, {
      max: http.maxConnections,
      maxPerNetwork: http.maxConnectionsPerNetwork,
      onRefused: observability.onConnectionRefused,
    });
    return createApp({
      ...api,
      ...{ ...defaultQuotaSettings, ...context.quotas },
      baseUrl,
      loadShedder,
      report,
      onEnd: [...observability.onEnd, usage.collector.count],
      onShed(method, durationMs) {
        observability.onShed(method);
        usage.collector.countShed(durationMs);
      },
      tracing: observability.tracing,
      quotas,
      keys,
      petHandlers: createPetHandlers({
        ...{ pets, creations, baseUrl, keyOf },
        confirmCaller: createConfirmation(keys),
      }),
    });
  });
  opened.defer(() => listener.close(http.closeTimeoutMs));
  const kept = opened.move();
  return {
    baseUrl: `${listener.origin}/${apiVersion}`,
    listener,
    ops,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
