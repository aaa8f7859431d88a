import type { RequestRecord } from '../api/request-record.ts';
import type { WriteLine } from './log.ts';

/** How many lines a minute one caller's unbounded requests may have. */
const linesPerMinute = 300;

/** Lines that were not written. */
export interface SkippedLines {
  /** `undefined` for all requests without a valid key together. */
  readonly keyId: string | undefined;
  readonly lines: number;
}

/**
 * Writes one line per request: what it asked for, who asked, how it was counted and answered.
 *
 * Quotas bound the requests that they admit for a key, so each of those has its line. Nothing bounds
 * the others: requests that are refused, or that bring no valid key. An attacker could fill the disk
 * with their lines: a replica can refuse about 5,000 requests a second; at 240 bytes a line that is
 * 100 GB a day. So each key has 300 such lines a minute, and so have all requests without a key
 * together, because networks are easy to come by. That is at most 100 MB a day for requests without a
 * key. Metrics count every request.
 *
 * @param onSkipped Called at the end of each minute in which lines were skipped.
 */
export function openRequestLog(writeLine: WriteLine, onSkipped: (skipped: SkippedLines) => void) {
  const unbounded = new Map<string | undefined, number>();

  function endMinute(): void {
    for (const [keyId, requests] of unbounded) {
      if (requests > linesPerMinute) onSkipped({ keyId, lines: requests - linesPerMinute });
    }
    unbounded.clear();
  }
  const timer = setInterval(endMinute, 60_000).unref();

  function isWritten({ apiKey, decision }: RequestRecord): boolean {
    if (apiKey !== undefined && decision?.outcome === 'admitted') return true;
    const requests = (unbounded.get(apiKey?.id) ?? 0) + 1;
    unbounded.set(apiKey?.id, requests);
    return requests <= linesPerMinute;
  }

  return {
    logRequest(record: RequestRecord): void {
      if (isWritten(record))
        writeLine(record.status >= 500 ? 'warn' : 'info', fieldsOf(record), 'request');
    },
    close(): void {
      clearInterval(timer);
      endMinute();
    },
  };
}

/**
 * Nothing is escaped, because no text here can need it: the parser of Node allows only known methods,
 * request ids are checked (`track-request.ts`), and tokens have letters and digits only. The rest is
 * ours.
 */
function fieldsOf(record: RequestRecord): string {
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
  return `${fields},"requestId":"${record.requestId}"`;
}
