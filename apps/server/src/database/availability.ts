import { DatabaseUnavailableError } from './database-error.ts';
import { faultOf } from './database-fault.ts';
import { followStatements } from './statement.ts';

/** A time in which statements fail because the database is unavailable, or unavailable for writing. */
export interface Episode {
  /** The SQLSTATE of the failure, or the code of the driver. */
  readonly code: string;
  /** What it means. */
  readonly reason: string;
}

/** A shorter success is luck: other statements still fail. It also bounds the lines in the log. */
const quietMs = 1_000;

/** After this time without a failure, any success ends an episode. */
const forgottenMs = 60_000;

/**
 * Tells when statements begin to fail because the database is unavailable, and why, and when they work
 * again: a statement that failed in the episode has succeeded, and none has failed for a second.
 *
 * A statement counts by its name. So an episode in which only creations fail, because the disk is full,
 * does not end with the next list. But what failed may be run once an hour, or once by an operator, and
 * the episode should not last until it is run again. Each reason is told once in an episode: connections that are lost may
 * be the beginning of a failover, and the next ones lead to a standby.
 *
 * @param options.now a monotonic clock in milliseconds.
 */
export function watchAvailability(options: {
  onBegin: (episode: Episode) => void;
  onEnd: (episode: Episode) => void;
  now?: () => number;
}) {
  const { onBegin, onEnd, now = () => performance.now() } = options;
  const failing = new Set<string>();
  const reasons = new Set<string>();
  let episode: Episode | undefined;
  let failedAt = 0;

  const close = followStatements((statement, error) => {
    if (error instanceof DatabaseUnavailableError) {
      failing.add(statement);
      failedAt = now();
      const { reason } = faultOf(error.code);
      if (reasons.has(reason)) return;
      reasons.add(reason);
      episode = { code: error.code, reason };
      onBegin(episode);
    } else if (episode !== undefined && error === undefined) {
      if (now() - failedAt < (failing.has(statement) ? quietMs : forgottenMs)) return;
      const ended = episode;
      episode = undefined;
      failing.clear();
      reasons.clear();
      onEnd(ended);
    }
  });

  return {
    /** The episode that has not ended yet, with its latest reason. */
    episode: () => episode,
    close,
  };
}
