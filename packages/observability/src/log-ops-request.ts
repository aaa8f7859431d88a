import type { RequestOutcome } from '@animal-store/http-server';
import type { Clock } from '@animal-store/runtime';
import { escapeUnprintable } from '@animal-store/runtime';
import { limitLines } from './limit-lines.ts';
import type { Log } from './log.ts';

/** The properties of a finished request to the ops listener that may be logged. */
export interface OpsRequestRecord extends RequestOutcome {
  /** How long the request waited before it started; `undefined` if it started immediately. */
  readonly queueMs: number | undefined;
  readonly operator: string | undefined;
  /**
   * The id of the operator. The name is not enough, because the names of two operators can look
   * alike. `null` for the ADMIN_TOKEN and the local user.
   */
  readonly operatorId: string | null | undefined;
  /** The API key that the request is about, if the operator has permission to read API keys. */
  readonly keyId: string | undefined;
  readonly account: string | undefined;
  /** If the request is a health check: the reasons why this replica is not ready or is degraded. */
  readonly reasons: readonly string[] | undefined;
}

/** The paths that monitoring systems request every few seconds. */
const probes: ReadonlySet<string | undefined> = new Set(['/livez', '/readyz', '/metrics']);

/**
 * The largest number of log lines per second for requests without an operator. Requests that failed
 * with a 5xx have a separate limit of the same size.
 */
const linesPerSecond = 10;

/**
 * Opens the log of requests to the ops listener, with one line for each request. Successful health
 * checks and scrapes of the metrics are logged only at the level debug.
 *
 * Anyone who reaches the port can send requests. So in each second, at most ten requests without an
 * operator are logged, and another ten that failed with a 5xx. Metrics count every request.
 */
export function openOpsRequestLog(log: Log, clock: Clock) {
  const lineLimit = limitLines<'failed' | 'answered'>({
    clock,
    lines: linesPerSecond,
    periodMs: 1_000,
    onSkipped(skipped) {
      const lines = [...skipped.values()].reduce((sum, count) => sum + count, 0);
      log.warn(
        { lines },
        'requests to the ops listener were not logged: too many of them came without a valid token in one second, and the size of the log is limited',
      );
    },
  });

  return {
    logRequest(record: OpsRequestRecord): void {
      const { status, route, queueMs, operator, operatorId, keyId, account, reasons } = record;
      const isFailure = status >= 500;
      const isRoutine = status < 400 && probes.has(route);
      const isLineLimited = !isRoutine && operator === undefined;
      if (isLineLimited && !lineLimit.isWritten(isFailure ? 'failed' : 'answered')) return;
      // The fields have the order in which people read them. An unknown path is not logged, because
      // the caller chose its text, which may be a secret.
      const line = {
        ...{ method: record.method, route: route ?? 'other', status },
        durationMs: inHundredths(record.durationMs),
        queueMs: queueMs && inHundredths(queueMs),
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
    close: lineLimit.close,
  };
}

function inHundredths(ms: number): number {
  return Math.round(ms * 100) / 100;
}
