import type { RequestOutcome } from '../http/request-outcome.ts';
import type { Clock } from '../shared/clock.ts';
import { limitLines } from './limit-lines.ts';
import type { Log } from './log.ts';

/** What may be told of an operator's request, or of a probe, that is over. */
export interface OpsRequestRecord extends RequestOutcome {
  readonly network: string;
  readonly operator: string | undefined;
  /** The API key that it was about, if the caller might ask about keys at all. */
  readonly keyId: string | undefined;
  readonly account: string | undefined;
  /** Why this replica is not ready, as a probe of that was told. */
  readonly reasons: readonly string[] | undefined;
}

/** What machines ask for every few seconds. */
const probes: ReadonlySet<string | undefined> = new Set(['/livez', '/readyz', '/metrics']);

/** The most networks that may have lines of their own: to an attacker, networks are cheap. */
const maxNetworks = 99;

/**
 * Writes one line a request; of a probe that was answered well, only where all is wanted.
 *
 * Nothing bounds the requests of strangers. So in each second, a network has one line for its requests
 * without an operator, and one for those that failed on our side. Metrics count every request.
 */
export function openOpsRequestLog(log: Log, clock: Clock) {
  const strangers = limitLines<string>({
    clock,
    lines: 1,
    periodMs: 1_000,
    maxCauses: maxNetworks,
    onSkipped(skipped) {
      const lines = [...skipped.values()].reduce((sum, count) => sum + count, 0);
      log.warn({ lines }, 'ops requests without a line of their own');
    },
  });

  return {
    logRequest(record: OpsRequestRecord): void {
      const { status, route, network, operator, keyId, account, reasons } = record;
      const isFailure = status >= 500;
      const isRoutine = status < 400 && probes.has(route);
      const isStrange = !isRoutine && operator === undefined;
      if (isStrange && !strangers.isWritten(`${network} ${isFailure}`)) return;
      // In the order in which people read them. An unknown path is the caller's text, and may be a secret.
      const line = {
        ...{ method: record.method, route: route ?? 'other', status },
        durationMs: Math.round(record.durationMs * 100) / 100,
        ...{ operator, keyId, account, reasons, errorCode: record.errorCode },
        ...{ aborted: record.aborted || undefined, requestId: record.requestId },
      };
      if (isFailure) log.warn(line, 'ops request');
      else if (isRoutine) log.debug(line, 'ops request');
      else log.info(line, 'ops request');
    },
    close: strangers.close,
  };
}
