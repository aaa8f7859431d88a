import type { Clock } from '../shared/clock.ts';
import { limitLines } from './limit-lines.ts';
import type { Log } from './log.ts';

/** Logs requests that are refused because of overload: the first at once, later ones of a minute together. */
export function openShedLog(log: Pick<Log, 'warn'>, clock: Clock) {
  const tell = (requests: number) =>
    log.warn({ requests }, 'the service is overloaded: requests get 503');
  const limit = limitLines<'overload'>({
    clock,
    lines: 1,
    periodMs: 60_000,
    onSkipped(skipped) {
      for (const requests of skipped.values()) tell(requests);
    },
  });
  return {
    logRefusal(): void {
      if (limit.isWritten('overload')) tell(1);
    },
    close: limit.close,
  };
}
