import { totalmem } from 'node:os';
import { apiVersion, operations } from '@animal-store/contract';
import type { RequestOutcome } from '@animal-store/http-server';
import { type ConnectionLimit, connectionLimits } from '@animal-store/http-server';
import type { StatementContext } from '@animal-store/postgres';
import { DatabaseError } from '@animal-store/postgres';
import type { BreakerState } from '@animal-store/quotas';
import { type Clock, systemClock, waitAtMost } from '@animal-store/runtime';
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type OpenMetricsContentType,
  Registry,
} from 'prom-client';
import type { RequestRecord } from './request-record.ts';
import { createTimeHistogram, type TimeSeries } from './time-histogram.ts';
import { watchCalls } from './watch-calls.ts';

/** The gauges that are measured at each scrape, with their help texts. */
const watchedGauges = {
  animal_store_requests_in_flight: 'Requests to the public port that are in progress.',
  animal_store_requests_waiting:
    'Requests to the public port that wait in the queue because of overload.',
  animal_store_ready: 'Whether this replica is ready: 1 if /readyz responds with 200, otherwise 0.',
  animal_store_replicas:
    'The number of replicas, as this replica counts them. While Redis is unavailable, each replica admits an equal share of each quota.',
  animal_store_heartbeat_age_seconds:
    'Time since the last heartbeat on the connection that listens to Postgres (LISTEN). Heartbeats are sent every 2 s.',
  animal_store_usage_write_age_seconds:
    'Time since this replica last wrote its request counts to the database.',
};

/**
 * The reasons why spans are dropped. `queue_full` means that too many spans wait to be sent.
 * `export_failed` means that the trace collector did not accept them.
 */
const spanLosses = ['queue_full', 'export_failed'] as const;
export type SpanLoss = (typeof spanLosses)[number];

/** The stores whose clocks decide about requests. */
type Store = 'postgres' | 'redis';

type WatchedGauge = keyof typeof watchedGauges;

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const knownMethod = (method: string) => (methods.has(method) ? method : 'other');

/**
 * The upper bounds of the histogram buckets in seconds. The first one is about the duration of a
 * request that this replica denies or admits without a query to Redis. The last one is longer than
 * the longest possible SQL statement, which takes 6 s.
 */
const secondsBuckets = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/**
 * The gauges of prom-client that are removed, because their names end in `_total`. Only counters
 * may have such names. prom-client also reports the same values under other names.
 */
const misnamedGauges = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/**
 * A function that registers metrics of the process: memory, heap, garbage collection and the delay
 * of the event loop.
 */
export type MeasureProcess = (registry: Registry) => void;

/**
 * Registers the default metrics of prom-client. They stay until the process ends, because
 * prom-client cannot remove its observers.
 */
function measureThisProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const name of misnamedGauges) registry.removeSingleMetric(name);
}

export type Metrics = ReturnType<typeof openMetrics>;

/**
 * Opens the metrics of the service.
 *
 * No label contains a value that a caller has sent. Routes are templates, methods come from a list,
 * and the names of SQL statements and Redis commands are constants in the code. So the number of
 * time series is limited, whatever callers send.
 */
export function openMetrics({
  version,
  measureProcess = measureThisProcess,
  clock = systemClock,
}: {
  version: string;
  measureProcess?: MeasureProcess | undefined;
  clock?: Pick<Clock, 'now'>;
}) {
  const registry = new Registry();
  const registers = [registry];
  measureProcess(registry);
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name: `animal_store_${name}`, help, labelNames, registers });
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `animal_store_${name}`, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Histogram({
      name: `animal_store_${name}_duration_seconds`,
      help,
      labelNames,
      buckets: secondsBuckets,
      registers,
    });
  /** Creates a histogram that observes each request and uses trace ids as exemplars. */
  function requestHistogram(name: string, help: string) {
    const { series, metric } = createTimeHistogram({
      name: `animal_store_${name}_duration_seconds`,
      help,
      bounds: secondsBuckets,
      now: clock.now,
    });
    registry.registerMetric(metric);
    return series;
  }

  gauge('build_info', 'Always 1. Its labels are the versions of the service and of Node.', [
    'version',
    'node',
  ]).set({ version, node: process.version }, 1);
  gauge(
    'memory_limit_bytes',
    'Memory that this process may use: the limit of its container, or the memory of the machine.',
  ).set(Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem()));
  const requests = counter(
    'http_requests_total',
    'Completed requests, by route template, method and status.',
    ['route', 'method', 'status'],
  );
  const shed = counter(
    'requests_shed_total',
    'Requests that were refused with 503 because of overload. They also count as completed requests with the route other.',
  );
  const requestSeconds = createRequestSeconds(
    requestHistogram(
      'http_request',
      'Time from the headers of a request to the end of its response.',
    ),
  );
  // The series of each operation is created at the start. Otherwise its first value would already
  // contain the first requests, and Prometheus would not see them as an increase.
  for (const { method, path } of Object.values(operations)) {
    requestSeconds(`/${apiVersion}${path}`, method);
  }
  const waitSeconds = requestHistogram(
    'http_request_wait',
    'Time that a completed request waited: in the queue during overload (queue), for its quota (redis), for SQL statements (sql), and for its own body (body).',
  );
  const queueSeconds = waitSeconds({ stage: 'queue' });
  const redisWaitSeconds = waitSeconds({ stage: 'redis' });
  const sqlSeconds = waitSeconds({ stage: 'sql' });
  const bodySeconds = waitSeconds({ stage: 'body' });
  const opsRequests = counter(
    'ops_requests_total',
    'Completed requests to the ops listener, by route template, method and status.',
    ['route', 'method', 'status'],
  );
  const decisions = counter(
    'quota_decisions_total',
    'Requests that were checked against a quota, by plan (none if there is no valid API key), by the most restrictive window (minute or day), and by outcome.',
    ['plan', 'window', 'outcome'],
  );
  const bans = counter(
    'bans_total',
    'Bans of API keys, each started by a denied request to this replica.',
  );
  const connectionsRefused = counter(
    'connections_refused_total',
    'Connections to the public port that were closed immediately, by the limit that they exceeded.',
    ['limit'],
  );
  // Each series starts at 0. Otherwise Prometheus would not see the first refused connections,
  // perhaps thousands, as an increase.
  for (const limit of connectionLimits) connectionsRefused.inc({ limit }, 0);
  const usageLost = counter(
    'usage_lost_requests_total',
    'Requests that are missing from the stored usage, because the database was unavailable for too long.',
  );
  const auditLost = counter(
    'audit_lost_bans_total',
    'Bans whose start is missing from the audit log, because the database was unavailable for too long.',
  );
  const logDropped = counter(
    'log_dropped_bytes_total',
    'Bytes of the log that were dropped, because the reader of the log or its disk is too slow.',
  );
  const spansDropped = counter(
    'spans_dropped_total',
    'Spans of traces that were dropped, because too many spans waited (queue_full) or the trace collector did not accept them (export_failed).',
    ['reason'],
  );
  for (const reason of spanLosses) spansDropped.inc({ reason }, 0);
  const breaker = gauge(
    'redis_breaker_open',
    '1 while Redis is unavailable, so that this replica counts requests alone and admits an equal share of each limit; otherwise 0.',
  );
  const redisSeconds = histogram(
    'redis_command',
    'Duration of Redis commands, including failed commands.',
    ['command'],
  );
  const redisErrors = counter('redis_command_errors_total', 'Redis commands that failed.', [
    'command',
  ]);
  const statementSeconds = histogram(
    'database_statement',
    'Duration of SQL statements, including failed statements and the wait for a connection.',
    ['statement'],
  );
  const statementsInFlight = gauge(
    'database_statements_in_flight',
    'SQL statements that are in progress or wait for a connection.',
  );
  const statementErrors = counter(
    'database_statement_errors_total',
    'Failed SQL statements, by SQLSTATE or by the error code of the driver.',
    ['statement', 'code'],
  );

  const unwatch = [
    watchCalls<{ command: string }>('ioredis:command', ({ command }) => {
      const stopTimer = redisSeconds.startTimer({ command });
      return (error) => {
        stopTimer();
        if (error !== undefined) redisErrors.inc({ command });
      };
    }),
    watchCalls<StatementContext>('animal-store:statement', ({ statement }) => {
      const stopTimer = statementSeconds.startTimer({ statement });
      statementsInFlight.inc();
      return (error) => {
        stopTimer();
        statementsInFlight.dec();
        if (error === undefined) return;
        const code = error instanceof DatabaseError ? error.code : 'unknown';
        statementErrors.inc({ statement, code });
      };
    }),
  ];

  let wasScraped = false;
  /**
   * A promise that resolves when a scrape has returned the numbers of lost requests and bans;
   * `undefined` if nothing was lost since the last scrape.
   */
  let unscrapedLoss: PromiseWithResolvers<void> | undefined;

  return {
    watch(sources: Readonly<Record<WatchedGauge, () => number | Promise<number>>>): void {
      for (const [name, help] of Object.entries(watchedGauges)) {
        const read = sources[name as WatchedGauge];
        new Gauge({
          name,
          help,
          async collect() {
            this.set(await read());
          },
          registers,
        });
      }
    },

    /**
     * Adds the gauge of clock differences.
     *
     * @param measure measures by how many milliseconds the clock of this replica is ahead of the
     *   clock of each store. The functions are called at each scrape. If a function returns
     *   `undefined`, the scrape has no sample for this store, instead of an old one.
     */
    watchClocks(measure: Partial<Record<Store, () => Promise<number | undefined>>>): void {
      new Gauge({
        name: 'animal_store_clock_difference_seconds',
        help: 'How far the clock of this replica is ahead of the clock of a store (negative if it is behind), with an error of at most half a second.',
        labelNames: ['store'],
        async collect() {
          const measured = Object.entries(measure).map(async ([store, measureMs]) => {
            const differenceMs = await measureMs();
            if (differenceMs === undefined) this.remove({ store });
            else this.set({ store }, differenceMs / 1_000);
          });
          await Promise.all(measured);
        },
        registers,
      });
    },

    countRequest(record: RequestRecord): void {
      const { route = 'other', status, durationMs, key, decision, waits, traceId } = record;
      const method = knownMethod(record.method);
      requests.inc({ route, method, status });
      requestSeconds(route, method).observe(durationMs / 1_000, traceId);
      if (waits !== undefined) {
        queueSeconds.observe(waits.queueMs / 1_000, traceId);
        redisWaitSeconds.observe(waits.redisMs / 1_000, traceId);
        sqlSeconds.observe(waits.sqlMs / 1_000, traceId);
        bodySeconds.observe(waits.bodyMs / 1_000, traceId);
      }
      if (decision === undefined) return;
      const { reported, outcome } = decision;
      // A request with a refused API key is counted against its network, so it has no plan.
      const plan = key === undefined || key.refusal !== undefined ? 'none' : key.plan;
      decisions.inc({ plan, window: reported.name, outcome });
    },

    countShed(method: string): void {
      shed.inc();
      requests.inc({ route: 'other', method: knownMethod(method), status: 503 });
    },

    /**
     * Counts a request to the ops listener. These requests have a separate metric, so that
     * health checks do not lower the error rate of callers.
     */
    countOpsRequest({ route = 'other', method, status }: RequestOutcome): void {
      opsRequests.inc({ route, method: knownMethod(method), status });
    },

    countRefusedConnection: (limit: ConnectionLimit) => connectionsRefused.inc({ limit }),
    countBan: () => bans.inc(),
    countUsageLost(count: number): void {
      usageLost.inc(count);
      unscrapedLoss = Promise.withResolvers();
    },
    countAuditLost(count: number): void {
      auditLost.inc(count);
      unscrapedLoss = Promise.withResolvers();
    },
    countDroppedLogBytes: (bytes: number) => logDropped.inc(bytes),
    countDroppedSpans: (reason: SpanLoss, spans: number) => spansDropped.inc({ reason }, spans),
    /**
     * Records the state of the circuit breaker for Redis. When the circuit breaker is closed, Redis
     * decides which requests the quotas admit. When it is open, this replica of the service decides
     * by itself.
     */
    setBreaker: (state: BreakerState) => breaker.set(state === 'open' ? 1 : 0),
    /** Returns all metrics as text, either in the plain format or in OpenMetrics with exemplars. */
    async show(format: 'plain' | 'openmetrics' = 'plain') {
      wasScraped = true;
      const reportedLoss = unscrapedLoss;
      const scraped = format === 'plain' ? registry : inOpenMetrics(registry);
      const text = await scraped.metrics();
      reportedLoss?.resolve();
      if (unscrapedLoss === reportedLoss) unscrapedLoss = undefined;
      return { text, contentType: scraped.contentType };
    },
    /**
     * Waits for the next scrape if requests or bans were lost since the last scrape. Most losses
     * happen during a shutdown. Without the wait, the process would exit before Prometheus reads
     * the numbers, and no alert would fire. The function does not wait if nobody has scraped the
     * metrics so far.
     */
    async untilLossIsScraped(timeoutMs: number): Promise<void> {
      if (!wasScraped || unscrapedLoss === undefined) return;
      await waitAtMost({ ms: timeoutMs }, unscrapedLoss.promise, () => {});
    },
    close() {
      for (const end of unwatch) end();
    },
  };
}

/**
 * Creates the function that finds the series of a route and a method. The function uses nested
 * maps, so that it does not build a combined name for each request.
 */
function createRequestSeconds(
  series: (labels: { route: string; method: string }) => TimeSeries,
): (route: string, method: string) => TimeSeries {
  const byRoute = new Map<string, Map<string, TimeSeries>>();
  return (route, method) => {
    let byMethod = byRoute.get(route);
    if (byMethod === undefined) {
      byMethod = new Map();
      byRoute.set(route, byMethod);
    }
    let found = byMethod.get(method);
    if (found === undefined) {
      found = series({ route, method });
      byMethod.set(method, found);
    }
    return found;
  };
}

/**
 * Creates a registry that writes the same metrics in OpenMetrics.
 *
 * A registry for OpenMetrics permanently removes `_total` from the names of its counters. So this
 * registry contains objects that inherit from the metrics. The metrics themselves keep their names
 * for the plain format.
 */
function inOpenMetrics(registry: Registry) {
  const copy = new Registry<OpenMetricsContentType>();
  copy.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  for (const metric of registry.getMetricsAsArray()) copy.registerMetric(Object.create(metric));
  return copy;
}
