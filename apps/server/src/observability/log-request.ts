import type { Clock } from '@animal-store/runtime';
import type { RequestRecord } from '../api/request-record.ts';
import { limitLines } from './limit-lines.ts';
import type { OpenLog } from './log.ts';
import type { ObservabilitySettings } from './observability-settings.ts';

/** How many lines a minute one caller's unbounded requests may have. */
const linesPerMinute = 300;

/**
 * Writes one line per request: what it asked for, who asked, how it was counted and answered.
 *
 * Quotas bound the requests that they admit for a key, so each of those has its line. Nothing bounds
 * the others: requests that are refused, or that bring no valid key. An attacker could fill the disk
 * with their lines: a replica can refuse about 5,000 requests a second; at 240 bytes a line that is
 * 100 GB a day. So each key has 300 such lines a minute, and so have all requests without a key
 * together, because networks are easy to come by. That is at most 100 MB a day for requests without a
 * key. Metrics count every request.
 */
export function openRequestLog({
  log,
  writeLine,
  clock,
  slowRequestMs,
}: Pick<OpenLog, 'log' | 'writeLine'> &
  Pick<ObservabilitySettings, 'slowRequestMs'> & { clock: Clock }) {
  // By the id of a key; `undefined` for all requests without a valid key together.
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
 * The fields in the order in which people read them. Nothing is escaped, because no text here can need it:
 * the parser of Node allows only known methods, request ids are checked (`begin-request.ts`), and tokens
 * have letters and digits only. The rest is ours.
 */
function fieldsOf(record: RequestRecord, slowRequestMs: number): string {
  const { method, status, key, tokenPrefix, decision, errorCode, attempts } = record;
  // An unknown path is the caller's text, and may be a secret.
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
  // The name by which tools find it (OpenTelemetry, "Trace Context in non-OTLP Log Formats").
  if (record.traceId !== undefined) fields += `,"trace_id":"${record.traceId}"`;
  if (record.durationMs >= slowRequestMs || record.traceId !== undefined) {
    fields += slowFieldsOf(record);
  }
  return `${fields},"requestId":"${record.requestId}"`;
}

/** For whom a slow or traced request was, and where its time went. */
function slowFieldsOf({ operation, key, waits }: RequestRecord): string {
  let fields = '';
  if (operation?.operation !== undefined) fields += `,"operation":"${operation.operation}"`;
  // The operators' own text.
  if (key?.accountId !== undefined) fields += `,"accountId":${JSON.stringify(key.accountId)}`;
  if (waits === undefined) return fields;
  for (const name of ['queueMs', 'redisMs', 'sqlMs', 'bodyMs'] as const) {
    fields += `,"${name}":${Math.round(waits[name] * 100) / 100}`;
  }
  return fields;
}
