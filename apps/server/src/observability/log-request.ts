import type { RequestRecord } from '../api/observe-requests.ts';
import type { WriteLine } from './log.ts';

/**
 * Creates the function that writes one line per request: what it asked for, who asked, how it was
 * counted and answered.
 *
 * Nothing is escaped, because no text here can need it: the parser of Node allows only known methods,
 * request ids are checked (`common-headers.ts`), and tokens have letters and digits only. The rest is
 * ours.
 */
export function createRequestLog(
  writeLine: WriteLine,
  limit: { isWritten(record: RequestRecord): boolean },
) {
  return function logRequest(record: RequestRecord): void {
    if (!limit.isWritten(record)) return;
    const { method, status, apiKey, tokenPrefix, decision, errorCode } = record;
    // An unknown path is the caller's text, and may be a secret.
    let fields = `"method":"${method}","route":"${record.route ?? 'other'}","status":${status}`;
    fields += `,"durationMs":${Math.round(record.durationMs * 100) / 100}`;
    if (apiKey !== undefined) fields += `,"keyId":"${apiKey.id}","plan":"${apiKey.plan}"`;
    if (tokenPrefix !== undefined) fields += `,"tokenPrefix":"${tokenPrefix}"`;
    if (decision !== undefined) {
      fields += `,"quota":"${decision.outcome}","remaining":${decision.reported.remaining}`;
    }
    if (errorCode !== undefined) fields += `,"errorCode":"${errorCode}"`;
    if (record.aborted) fields += ',"aborted":true';
    fields += `,"requestId":"${record.requestId}"`;
    writeLine(status >= 500 ? 'warn' : 'info', fields, 'request');
  };
}
