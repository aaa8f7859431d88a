import type { RequestRecord, RequestTracing } from '../api/request-record.ts';
import type { OnBan } from '../quotas/ban-rule.ts';
import { type BreakerState, redisAway } from '../quotas/circuit-breaker.ts';
import type { LogFormat, LogLevel } from '../shared/log-settings.ts';
import { describeFailure, openLog } from './log.ts';
import { logOpsRequest, type OpsRequestRecord } from './log-ops-request.ts';
import { openRequestLog } from './log-request.ts';
import { type Metrics, openMetrics } from './metrics.ts';
import type { OpenTracing } from './tracing.ts';

/** All that an operator sees of the service from outside: log, metrics, traces. */
export interface Observability {
  readonly metrics: Metrics;
  /** `undefined` if there is nowhere to send traces to. */
  readonly tracing: RequestTracing | undefined;
  /** Notes that the service is up, and how. */
  onListening(facts: Readonly<Record<string, string>>): void;
  /** Notes that a stop was asked for. */
  onStop(signal: string): void;
  /** What notes a request that is over. */
  readonly onEnd: readonly ((record: RequestRecord) => void)[];
  /** Notes a request to the operators' listener that is over. */
  onOpsEnd(record: OpsRequestRecord): void;
  /** Notes whose limits hold, once for each change. */
  onBreaker(state: BreakerState, reason: unknown): void;
  readonly onBan: OnBan;
  /** Notes requests that will be missing in the usage ledger. */
  onUsageLost(requests: number): void;
  /** Notes bans whose start will be missing in the audit log. */
  onAuditLost(bans: number): void;
  /** Notes a failure that is ours. */
  report(failure: unknown, requestId?: string): void;
  /** Notes a failure that ends the process, and writes what the log still holds. */
  onFatal(failure: unknown): Promise<void>;
  /** Writes and sends what is still held. */
  close(): Promise<void>;
}

export async function openObservability(options: {
  version: string;
  logLevel: LogLevel;
  logFormat: LogFormat | undefined;
  otlpEndpoint: string | undefined;
  traceSampleShare: number;
}): Promise<Observability> {
  const { version, logLevel, logFormat, otlpEndpoint, traceSampleShare } = options;
  const { log, writeLine, close: closeLog } = openLog({ level: logLevel, format: logFormat });
  const metrics = openMetrics({ version });
  const requestLog = openRequestLog(writeLine, (skipped) =>
    log.warn(skipped, 'requests without a line of their own in the last minute'),
  );
  let tracing: OpenTracing | undefined;
  if (otlpEndpoint !== undefined) {
    // Imported only now: without traces its 130 ms and 20 MB of memory would be for nothing.
    const { openTracing } = await import('./tracing.ts');
    tracing = openTracing({
      endpoint: otlpEndpoint,
      sampleShare: traceSampleShare,
      version,
      onTrouble: (trouble) => log.warn({ trouble }, 'traces cannot be delivered'),
    });
  }

  let wasUp = false;
  return {
    metrics,
    tracing,
    onListening(facts) {
      wasUp = true;
      log.info({ version, node: process.version, ...facts }, 'listening');
    },
    onStop: (signal) => log.info({ signal }, 'stopping'),
    onEnd: [requestLog.logRequest, metrics.countRequest],
    onOpsEnd(record) {
      logOpsRequest(log, record);
      metrics.countOpsRequest(record);
    },
    onBreaker(state, reason) {
      metrics.setBreaker(state);
      if (state === 'closed') {
        // As loud as the outage was: whoever read of that wants to read of its end.
        log.warn('Redis is back: replicas limit together again');
        return;
      }
      log.warn({ error: describeFailure(reason) }, redisAway);
    },
    onBan({ keyId, seconds }) {
      metrics.countBan();
      log.warn({ keyId, seconds }, 'a key is banned for a while');
    },
    onUsageLost(requests) {
      metrics.countUsageLost(requests);
      log.error({ requests }, 'requests are missing in the usage ledger');
    },
    onAuditLost(bans) {
      metrics.countAuditLost(bans);
      log.error({ bans }, 'bans are missing in the audit log');
    },
    report(failure, requestId) {
      log.error({ requestId, error: describeFailure(failure) }, 'a failure on our side');
    },
    async onFatal(failure) {
      log.fatal({ error: describeFailure(failure) }, 'a failure that nobody expected: exiting');
      await closeLog();
    },
    async close() {
      requestLog.close();
      await tracing?.close();
      metrics.close();
      // A start that fails says why in words of its own, and nothing else.
      if (wasUp) log.info('stopped');
      await closeLog();
    },
  };
}
