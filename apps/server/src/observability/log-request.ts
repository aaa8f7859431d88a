import type { Clock } from '@animal-store/runtime';
import type { RequestRecord } from '../api/request-record.ts';
import { limitLines } from './limit-lines.ts';
import type { OpenLog } from './log.ts';
import type { ObservabilitySettings } from './observability-settings.ts';

/** How many lines per minute one caller's unlimited requests may have. */
const linesPerMinute = 300;

/**
 * Writes one line for each request: its route, its caller, the quota decision and the outcome.
 *
 * Quotas limit the requests that they admit for a key, so each admitted request gets a line.
 * Nothing limits requests that are refused or have no valid key, so an attacker could fill the disk
 * with their lines. A replica can refuse about 5,000 requests a second, which is 100 GB a day at
 * 240 bytes a line. So each key gets 300 such lines a minute. All requests without a key share 300
 * lines, because an attacker can use many networks. They take at most 100 MB a day. Metrics count
 * every request.
 */
export function openRequestLog({
  log,
  writeLine,
  clock,
  slowRequestMs,
}: Pick<OpenLog, 'log' | 'writeLine'> &
  Pick<ObservabilitySettings, 'slowRequestMs'> & { clock: Clock }) {
  // The causes are the ids of keys; `undefined` stands for all requests without a valid key.
  const unbounded = limitLines<string | undefined>({
    clock,
    lines: linesPerMinute,
    periodMs: 60_000,
    onSkipped(skipped) {
      for (const [keyId, lines] of skipped) {
        log.warn({ keyId, lines }, 'requests without a line of their own in the last minute');
      }
    },
  });

  return {
    logRequest(record: RequestRecord): void {
      const { key, decision } = record;
      const isServed = key !== undefined && key.refusal === undefined;
      const isBounded = isServed && decision?.outcome === 'admitted';
      if (!isBounded && !unbounded.isWritten(key?.id)) return;
      writeLine(record.status >= 500 ? 'warn' : 'info', fieldsOf(record, slowRequestMs), 'request');
    },
    close: unbounded.close,
  };
}

/**
 * Writes the fields in the order in which people read them. No text needs escaping: Node's parser
 * allows only known methods, request ids are checked (`begin-request.ts`), and tokens consist of
 * letters and digits. All other texts come from the service.
 */
function fieldsOf(record: RequestRecord, slowRequestMs: number): string {
  const { method, status, key, tokenPrefix, decision, errorCode, attempts } = record;
  // An unknown path is not logged, because it is the caller's text and may be a secret.
  let fields = `"method":"${method}","route":"${record.route ?? 'other'}","status":${status}`;
  fields += `,"durationMs":${Math.round(record.durationMs * 100) / 100}`;
  if (key !== undefined) fields += `,"keyId":"${key.id}","plan":"${key.plan}"`;
  if (tokenPrefix !== undefined) fields += `,"tokenPrefix":"${tokenPrefix}"`;
  if (decision !== undefined) {
    fields += `,"quota":"${decision.outcome}","remaining":${decision.reported.remaining}`;
  }
  if (errorCode !== undefined) fields += `,"errorCode":"${errorCode}"`;
  if (attempts !== undefined) fields += `,"attempts":"${attempts}"`;
  if (record.aborted) fields += ',"aborted":true';
  // Tools find traces by this name (OpenTelemetry, "Trace Context in non-OTLP Log Formats").
  if (record.traceId !== undefined) fields += `,"trace_id":"${record.traceId}"`;
  if (record.durationMs >= slowRequestMs || record.traceId !== undefined) {
    fields += slowFieldsOf(record);
  }
  return `${fields},"requestId":"${record.requestId}"`;
}

/** Writes the operation, the account and the waits of a slow or traced request. */
function slowFieldsOf({ operation, key, waits }: RequestRecord): string {
  let fields = '';
  if (operation?.operation !== undefined) fields += `,"operation":"${operation.operation}"`;
  // The id is escaped, because operators choose it.
  if (key?.accountId !== undefined) fields += `,"accountId":${JSON.stringify(key.accountId)}`;
  if (waits === undefined) return fields;
  for (const name of ['queueMs', 'redisMs', 'sqlMs', 'bodyMs'] as const) {
    fields += `,"${name}":${Math.round(waits[name] * 100) / 100}`;
  }
  return fields;
}
