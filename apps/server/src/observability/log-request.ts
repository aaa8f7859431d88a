import type { RequestRecord } from '../api/observe-requests.ts';
import type { Log } from './log.ts';

/** Writes one line a request: what it asked for, who asked, how it was counted and answered. */
export function logRequest(log: Log, record: RequestRecord): void {
  const { requestId, method, route, status, aborted, durationMs, decision, ...rest } = record;
  const line = {
    method,
    // What a caller wrote in the place of a path that we have is theirs, and may be a secret.
    route: route ?? 'other',
    status,
    durationMs: Math.round(durationMs * 100) / 100,
    keyId: rest.apiKey?.id,
    plan: rest.apiKey?.plan,
    tokenPrefix: rest.tokenPrefix,
    quota: decision?.outcome,
    remaining: decision?.reported.remaining,
    errorCode: rest.errorCode,
    aborted: aborted || undefined,
    requestId,
  };
  if (status >= 500) log.warn(line, 'request');
  else log.info(line, 'request');
}
