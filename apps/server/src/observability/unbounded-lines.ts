import type { RequestRecord } from '../api/observe-requests.ts';

/** How many lines a minute one caller's unbounded requests may have. */
const linesPerMinute = 300;

/** Lines that were not written. */
export interface SkippedLines {
  /** `undefined` for all requests without a valid key together. */
  readonly keyId: string | undefined;
  readonly lines: number;
}

/**
 * Keeps an attacker from filling the disk with log lines.
 *
 * Quotas bound the requests that they admit for a key, so each of those has its line. Nothing bounds
 * the others: requests that are refused, or that bring no valid key. A replica can refuse about 5,000
 * requests a second; at 240 bytes a line that is 100 GB a day. So each key has 300 such lines a minute,
 * and so have all requests without a key together, because networks are easy to come by. That is at
 * most 100 MB a day for requests without a key. Metrics count every request.
 *
 * @param onSkipped Called at the end of each minute in which lines were skipped.
 */
export function limitUnboundedLines(onSkipped: (skipped: SkippedLines) => void) {
  const requestsOf = new Map<string | undefined, number>();

  function endMinute(): void {
    for (const [keyId, requests] of requestsOf) {
      if (requests > linesPerMinute) onSkipped({ keyId, lines: requests - linesPerMinute });
    }
    requestsOf.clear();
  }
  const timer = setInterval(endMinute, 60_000).unref();

  return {
    /** Whether a request that is over gets its line. */
    isWritten({ apiKey, decision }: Pick<RequestRecord, 'apiKey' | 'decision'>): boolean {
      if (apiKey !== undefined && decision?.outcome === 'admitted') return true;
      const requests = (requestsOf.get(apiKey?.id) ?? 0) + 1;
      requestsOf.set(apiKey?.id, requests);
      return requests <= linesPerMinute;
    },
    close(): void {
      clearInterval(timer);
      endMinute();
    },
  };
}
