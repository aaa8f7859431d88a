import type { Clock } from '@animal-store/runtime';
import { escapeUnprintable } from '@animal-store/runtime';
import type { RequestOutcome } from '../http/request-outcome.ts';
import { limitLines } from './limit-lines.ts';
import type { Log } from './log.ts';

/** What may be told of an operator's request, or of a probe, that is over. */
export interface OpsRequestRecord extends RequestOutcome {
  readonly operator: string | undefined;
  /** The id of the operator: names can be chosen, and can look alike. `null` for the ADMIN_TOKEN and the local user. */
  readonly operatorId: string | null | undefined;
  /** The API key that it was about, if the caller might ask about keys at all. */
  readonly keyId: string | undefined;
  readonly account: string | undefined;
  /** Why this replica is not ready, as a probe of that was told. */
  readonly reasons: readonly string[] | undefined;
}

/** What machines ask for every few seconds. */
const probes: ReadonlySet<string | undefined> = new Set(['/livez', '/readyz', '/metrics']);

/** How many lines a second requests without an operator may have, and as many those of them that failed. */
const linesPerSecond = 10;

/**
 * Writes one line a request; of a probe that was answered well, only where all is wanted.
 *
 * Nothing bounds the requests of strangers. So in each second ten of them have a line, and ten of those that failed
 * on our side. Metrics count every request.
 */
export function openOpsRequestLog(log: Log, clock: Clock) {
  const strangers = limitLines<'failed' | 'answered'>({
    clock,
    lines: linesPerSecond,
    periodMs: 1_000,
    onSkipped(skipped) {
      const lines = [...skipped.values()].reduce((sum, count) => sum + count, 0);
      log.warn({ lines }, 'ops requests without a line of their own');
    },
  });

  return {
    logRequest(record: OpsRequestRecord): void {
      const { status, route, operator, operatorId, keyId, account, reasons } = record;
      const isFailure = status >= 500;
      const isRoutine = status < 400 && probes.has(route);
      const isStrange = !isRoutine && operator === undefined;
      if (isStrange && !strangers.isWritten(isFailure ? 'failed' : 'answered')) return;
      // In the order in which people read them. An unknown path is the caller's text, and may be a secret.
      const line = {
        ...{ method: record.method, route: route ?? 'other', status },
        durationMs: Math.round(record.durationMs * 100) / 100,
        ...{
          operator: operator === undefined ? undefined : escapeUnprintable(operator),
          operatorId: operatorId ?? undefined,
        },
        ...{ keyId, account, reasons, errorCode: record.errorCode, attempts: record.attempts },
        ...{ aborted: record.aborted || undefined, requestId: record.requestId },
      };
      if (isFailure) log.warn(line, 'ops request');
      else if (isRoutine) log.debug(line, 'ops request');
      else log.info(line, 'ops request');
    },
    close: strangers.close,
  };
}
