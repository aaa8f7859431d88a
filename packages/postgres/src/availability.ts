import type { Clock } from '@animal-store/runtime';
import { repeat } from '@animal-store/runtime';
import { DatabaseUnavailableError } from './database-error.ts';
import { faultOf } from './database-fault.ts';
import { followStatements } from './statement.ts';

/**
 * A period in which statements fail because the database is unavailable, or does not accept writes.
 */
export interface Outage {
  /** The SQLSTATE of the failure, or the code of the driver. */
  readonly code: string;
  /** A sentence that explains the error code. */
  readonly reason: string;
}

/**
 * Reports when an outage of the database begins, why, and when it ends.
 *
 * While an outage lasts, a probe is repeated. The outage ends when a probe succeeds and no other
 * statement has failed since the previous probe. So an outage also ends without traffic, and it
 * continues while statements fail for a reason that the probe does not detect.
 *
 * Each reason is reported once per outage. An outage may have several reasons: for example, a
 * failover may begin with lost connections, and later connections may lead to a read-only standby.
 *
 * @param options.probe runs a statement that fails while the database is unavailable or accepts no
 *   writes.
 * @param options.probeEveryMs the pause before each probe. The pause also limits the number of
 *   lines in the log.
 */
export function watchAvailability(options: {
  probe: () => Promise<unknown>;
  onBegin: (outage: Outage) => void;
  onEnd: (outage: Outage) => void;
  clock: Clock;
  probeEveryMs: number;
}) {
  const { probe, onBegin, onEnd, clock, probeEveryMs } = options;
  const reasons = new Set<string>();
  let outage: Outage | undefined;
  let probing: ReturnType<typeof repeat> | undefined;
  let failures = 0;
  let failuresBefore = 0;

  const unfollow = followStatements((_statement, error) => {
    if (!(error instanceof DatabaseUnavailableError)) return;
    failures += 1;
    const { reason } = faultOf(error.code);
    if (reasons.has(reason)) return;
    reasons.add(reason);
    outage = { code: error.code, reason };
    onBegin(outage);
    if (probing !== undefined) return;
    failuresBefore = failures;
    probing = repeat(probeOnce, { clock, pauseMs: probeEveryMs, onFailure() {} });
  });

  async function probeOnce(): Promise<void> {
    // The error is ignored, because the probe is a statement, and `followStatements` has already
    // recorded the failure of the statement.
    await probe().catch(() => {});
    if (!isQuiet() || probing === undefined || outage === undefined) return;
    stopProbing();
    const ended = outage;
    outage = undefined;
    reasons.clear();
    onEnd(ended);
  }

  /** Returns whether no statement has failed since the last check. */
  function isQuiet(): boolean {
    const before = failuresBefore;
    failuresBefore = failures;
    return failures === before;
  }

  function stopProbing(): void {
    void probing?.stop();
    probing = undefined;
  }

  return {
    /** Returns the current outage with its latest reason, or `undefined` if there is no outage. */
    outage: () => outage,
    close(): void {
      unfollow();
      stopProbing();
    },
  };
}
