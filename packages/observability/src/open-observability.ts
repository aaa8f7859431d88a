import type { ConnectionLimit } from '@animal-store/http-server';
import type { Outage, Wait } from '@animal-store/postgres';
import type { BreakerState } from '@animal-store/quotas';
import { type Clock, systemClock } from '@animal-store/runtime';
import { reportOncePerMinute } from './limit-lines.ts';
import { describeFailure, openLog } from './log.ts';
import { type OpsRequestRecord, openOpsRequestLog } from './log-ops-request.ts';
import { openRequestLog } from './log-request.ts';
import { type MeasureProcess, openMetrics } from './metrics.ts';
import {
  defaultObservabilitySettings,
  type ObservabilitySettings,
} from './observability-settings.ts';
import { redisUnavailable } from './redis-unavailable-message.ts';
import type { OpenTracing } from './tracing.ts';

export type Observability = Awaited<ReturnType<typeof openObservability>>;

/** Opens the log, the metrics and the traces. */
export async function openObservability(
  options: Partial<ObservabilitySettings> & {
    version: string;
    /** A function that receives the log lines instead of stderr. */
    writeLog?: (line: string) => void;
    measureProcess?: MeasureProcess;
    clock?: Clock | undefined;
  },
) {
  const { version, writeLog, measureProcess, clock = systemClock } = options;
  const settings = { ...defaultObservabilitySettings, ...options };
  const { logLevel, logFormat, traces } = settings;
  const openedLog = openLog({
    ...{ level: logLevel, format: logFormat, write: writeLog, clock, timings: settings },
    onDropped(bytes) {
      metrics.countDroppedLogBytes(bytes);
      droppedLog.record('slow_reader');
    },
  });
  const { log, writeLine } = openedLog;
  const metrics = openMetrics({ version, measureProcess, clock });
  const droppedLog = reportOncePerMinute<'slow_reader'>(clock, (_, batches) =>
    log.warn(
      { batches },
      'lines of the log are dropped, because they cannot be written fast enough',
    ),
  );
  const requestLog = openRequestLog({ ...settings, log, writeLine, clock });
  const opsRequestLog = openOpsRequestLog(log, clock);
  const refusedConnections = reportOncePerMinute<ConnectionLimit>(clock, (limit, connections) =>
    log.warn(
      { limit, connections },
      'new connections are refused, because a limit of connections is reached',
    ),
  );
  const shedRequests = reportOncePerMinute<'overload'>(clock, (_, requests) =>
    log.warn({ requests }, 'the service is overloaded: requests get 503'),
  );
  const troublesOfTraces = reportOncePerMinute<string>(clock, (trouble, times) =>
    log.warn({ trouble, times }, 'traces cannot be sent to the trace collector'),
  );
  let tracing: OpenTracing | undefined;
  if (traces !== undefined) {
    // The module is imported only if traces are sent, because loading it takes 130 ms and 20 MB of
    // memory.
    const { openTracing } = await import('./tracing.ts');
    tracing = openTracing({
      ...traces,
      ...{ version, clock },
      flushTimeoutMs: settings.traceFlushTimeoutMs,
      onDropped: metrics.countDroppedSpans,
      onTrouble: troublesOfTraces.record,
    });
  }

  let hasStarted = false;
  let lastWaitId: string | undefined;
  return {
    metrics,
    /** The tracing of requests; `undefined` if no traces are sent. */
    tracing,

    onListening(fields: Readonly<Record<string, string>>): void {
      hasStarted = true;
      log.info({ version, node: process.version, ...fields }, 'listening');
    },

    /** Logs the parts of settings that have no effect. */
    onIgnoredSettings(notes: readonly string[]): void {
      for (const note of notes)
        log.warn({ note }, 'a parameter of DATABASE_URL or REDIS_URL has no effect');
    },

    /** Logs why the start of the service waits for the database, once for each reason. */
    onWaiting({ id, reason }: Wait): void {
      if (id !== lastWaitId)
        log.warn({ reason }, 'the start of this replica waits for the database');
      lastWaitId = id;
    },

    /**
     * Logs a warning when several replicas use the same database without Redis. Their quotas are
     * then not exact, because each replica counts only its own requests.
     */
    onQuotasNotShared(replicas: number): void {
      log.warn(
        { replicas },
        'several replicas run without Redis: each of them admits the whole quota; set REDIS_URL',
      );
    },

    onDatabaseLost({ code, reason }: Outage): void {
      log.warn({ code, reason }, 'the database is unavailable: requests get 503');
    },

    onDatabaseBack({ code, reason }: Outage): void {
      log.warn({ code, reason }, 'the database is available again');
    },

    onStop: (signal: string) => log.info({ signal }, 'stopping'),

    onEnd: [requestLog.logRequest, metrics.countRequest],

    onShed(method: string): void {
      metrics.countShed(method);
      shedRequests.record('overload');
    },

    onOpsEnd(record: OpsRequestRecord): void {
      opsRequestLog.logRequest(record);
      metrics.countOpsRequest(record);
    },

    /**
     * Records a change of the circuit breaker for Redis. When the circuit breaker closes, Redis
     * decides again which requests the quotas admit. When it opens, this replica of the service
     * decides by itself.
     */
    onBreaker(state: BreakerState, reason: unknown): void {
      metrics.setBreaker(state);
      // The end of an outage has the same log level as its start, so that everyone who sees the
      // start also sees the end.
      if (state === 'closed')
        log.warn(
          'Redis is available again: all replicas of the service count requests together again',
        );
      else log.warn({ error: describeFailure(reason) }, redisUnavailable);
    },

    onStoreWarning(sentence: string): void {
      log.warn(`${sentence}.`);
    },

    onBan({ keyId, seconds }: { keyId: string; seconds: number }): void {
      metrics.countBan();
      log.warn({ keyId, seconds }, 'an API key is temporarily banned');
    },

    onConnectionRefused(limit: ConnectionLimit): void {
      metrics.countRefusedConnection(limit);
      refusedConnections.record(limit);
    },

    onUsageLost(requests: number): void {
      metrics.countUsageLost(requests);
      log.error({ requests }, 'requests are missing from the stored usage');
    },

    onAuditLost(bans: number): void {
      metrics.countAuditLost(bans);
      log.error({ bans }, 'bans are missing from the audit log');
    },

    /** Logs an internal error: a request or a background task of the service failed unexpectedly. */
    report(failure: unknown, requestId?: string): void {
      // Without a request id, the error belongs to work in the background, so no trace id is
      // logged. The current trace may belong to a request that only started this work.
      const trace_id = requestId && tracing?.currentTraceId();
      log.error(
        { requestId, trace_id, error: describeFailure(failure) },
        'internal error: a request or a background task of the service failed unexpectedly',
      );
    },

    /** Logs an error that ends the process, and writes the remaining lines of the log. */
    async onFatal(failure: unknown): Promise<void> {
      log.fatal({ error: describeFailure(failure) }, 'unexpected failure: the process exits');
      await openedLog.close();
    },

    async close(): Promise<void> {
      requestLog.close();
      opsRequestLog.close();
      refusedConnections.close();
      shedRequests.close();
      droppedLog.close();
      await tracing?.close();
      troublesOfTraces.close();
      metrics.close();
      // A failed start writes only its own error message, not the line `stopped`.
      if (hasStarted) log.info('stopped');
      await openedLog.close();
    },
  };
}
