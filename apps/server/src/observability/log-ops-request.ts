import type { RequestOutcome } from '../http/track-request.ts';
import type { Log } from './log.ts';

/** What may be told of an operator's request, or of a probe, that is over. */
export interface OpsRequestRecord extends RequestOutcome {
  /** The name of the operator who sent it. */
  readonly operator: string | undefined;
  /** The API key that it was about, if the caller might ask about keys at all. */
  readonly keyId: string | undefined;
  /** Why this replica is not ready, as a probe of that was told. */
  readonly reasons: readonly string[] | undefined;
}

/** What machines ask for every few seconds. */
const probes: ReadonlySet<string | undefined> = new Set(['/livez', '/readyz', '/metrics']);

/** Writes one line a request; of a probe that was answered well, only where all is wanted. */
export function logOpsRequest(log: Log, record: OpsRequestRecord): void {
  const { requestId, method, route, status, durationMs, keyId, errorCode } = record;
  const line = {
    method,
    route: route ?? 'other',
    status,
    durationMs: Math.round(durationMs * 100) / 100,
    operator: record.operator,
    keyId,
    errorCode,
    reasons: record.reasons,
    aborted: record.aborted || undefined,
    requestId,
  };
  if (status >= 500) log.warn(line, 'ops request');
  else if (status < 400 && probes.has(route)) log.debug(line, 'ops request');
  else log.info(line, 'ops request');
}
