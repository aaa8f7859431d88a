import type { Clock } from '@animal-store/runtime';
import { limitLines } from './limit-lines.ts';
import type { OpenLog } from './log.ts';
import type { ObservabilitySettings } from './observability-settings.ts';
import type { RequestRecord } from './request-record.ts';

/**
 * The largest number of log lines per minute for the refused requests of one API key. All requests
 * without a key share another limit of the same size.
 */
const linesPerMinute = 300;

/**
 * Opens the log of requests, with one line for each request: its route, its caller, the quota
 * decision and the outcome.
 *
 * Each admitted request of an API key is logged, because quotas limit the number of these requests.
 * Nothing limits refused requests and requests without a valid key, so an attacker could fill the
 * disk with their log lines. A replica can refuse about 5,000 requests a second, which is 100 GB a
 * day at 240 bytes a line.
 *
 * So each key gets at most 300 lines a minute for its refused requests. All requests without a key
 * share another 300 lines, because an attacker can use many networks. A limit of 300 lines a
 * minute allows about 100 MB a day. Metrics count every request.
 */
export function openRequestLog({
  log,
  writeLine,
  clock,
  slowRequestMs,
}: Pick<OpenLog, 'log' | 'writeLine'> &
  Pick<ObservabilitySettings, 'slowRequestMs'> & { clock: Clock }) {
  // The limits of log lines, by the id of an API key. The id `undefined` stands for all requests
  // without a valid key.
  const lineLimit = limitLines<string | undefined>({
    clock,
    lines: linesPerMinute,
    periodMs: 60_000,
    onSkipped(skipped) {
      for (const [keyId, lines] of skipped) {
        log.warn(
          { keyId, lines },
          'requests were not logged: too many of them were refused or had no valid API key in one minute, and the size of the log is limited',
        );
      }
    },
  });

  return {
    logRequest(record: RequestRecord): void {
      const { key, decision } = record;
      const isServed = key !== undefined && key.refusal === undefined;
      const isLimitedByQuota = isServed && decision?.outcome === 'admitted';
      if (!isLimitedByQuota && !lineLimit.isWritten(key?.id)) return;
      writeLine(record.status >= 500 ? 'warn' : 'info', fieldsOf(record, slowRequestMs), 'request');
    },
    close: lineLimit.close,
  };
}

/**
 * Returns the fields of a log line in the order in which people read them. Undefined fields are
 * left out of the line.
 */
function fieldsOf(record: RequestRecord, slowRequestMs: number) {
  const { key, decision, operation, traceId } = record;
  const isDetailed = record.durationMs >= slowRequestMs || traceId !== undefined;
  return {
    method: record.method,
    // An unknown path is not logged, because the caller chose its text, which may be a secret.
    route: record.route ?? 'other',
    status: record.status,
    durationMs: inHundredths(record.durationMs),
    operation: operation?.operation,
    keyId: key?.id,
    // The log line contains the name of the account. It contains the id of the account only if the
    // account has a plan.
    account: key?.account ?? undefined,
    accountId: key?.accountId,
    plan: key?.plan,
    tokenPrefix: record.tokenPrefix,
    quota: decision?.outcome,
    remaining: decision?.reported.remaining,
    errorCode: record.errorCode,
    attempts: record.attempts,
    aborted: record.aborted || undefined,
    // Tools find traces by the field `trace_id` (OpenTelemetry, "Trace Context in non-OTLP Log
    // Formats").
    trace_id: traceId,
    ...(isDetailed ? waitsOf(record) : undefined),
    requestId: record.requestId,
  };
}

/**
 * Returns how long a request waited in the load shedder's queue, for Redis, for Postgres and for
 * its body. Only the log lines of slow and traced requests contain these times.
 */
function waitsOf({ waits }: RequestRecord) {
  return {
    queueMs: waits && inHundredths(waits.queueMs),
    redisMs: waits && inHundredths(waits.redisMs),
    sqlMs: waits && inHundredths(waits.sqlMs),
    bodyMs: waits && inHundredths(waits.bodyMs),
  };
}

function inHundredths(ms: number): number {
  return Math.round(ms * 100) / 100;
}
