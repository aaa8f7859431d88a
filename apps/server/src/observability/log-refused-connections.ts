import type { ConnectionLimit } from '../http/limit-connections.ts';
import type { Clock } from '../shared/clock.ts';
import { limitLines } from './limit-lines.ts';
import type { Log } from './log.ts';

/** Logs refused connections: the first of each limit at once, and later ones of a minute together. */
export function openRefusedConnectionsLog(log: Pick<Log, 'warn'>, clock: Clock) {
  const tell = (limit: string, connections: number) =>
    log.warn({ limit, connections }, 'connections are refused');
  const limits = limitLines<ConnectionLimit>({
    clock,
    lines: 1,
    periodMs: 60_000,
    onSkipped(skipped) {
      for (const [limit, connections] of skipped) tell(limit, connections);
    },
  });
  return {
    logRefusal(limit: ConnectionLimit): void {
      if (limits.isWritten(limit)) tell(limit, 1);
    },
    close: limits.close,
  };
}
