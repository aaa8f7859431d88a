import { type UsageOutcome, usageOutcomes } from '@animal-store/admin-contract';
import type { Clock } from '@animal-store/runtime';
import { createTraffic, type Traffic } from './live-traffic.ts';
import { planCode, totalId, type UsageEntry, type UsedRequest } from './usage-entry.ts';

export type UsageCollector = ReturnType<typeof createUsageCollector>;

/**
 * The id under which all requests without a known API key are counted. Counting these requests by
 * network would need an unlimited number of entries.
 */
const keylessId = totalId(planCode(undefined));

/**
 * Creates the collector, which counts requests in memory until they are written to the database.
 *
 * @param options.maxEntries the largest number of entries. When it is reached, a request that would
 * need a new entry is counted as lost. An entry uses about 130 bytes.
 */
export function createUsageCollector(options: { clock: Pick<Clock, 'now'>; maxEntries: number }) {
  const { clock, maxEntries } = options;
  let entries = new Map<string, { -readonly [Name in keyof UsageEntry]: UsageEntry[Name] }[]>();
  let size = 0;
  let lost = 0;
  let traffic = createTraffic();

  return {
    /**
     * Counts a request for the usage tables if it has a quota decision or a known key. The caller
     * of any other request is unknown. Examples are CORS preflights, and requests whose API key
     * could not be looked up. If a request with an unknown caller fails with 503, the request is
     * counted only in the live traffic (the counts of the last minute).
     */
    count(request: UsedRequest): void {
      const { key, decision, errorCode, durationMs } = request;
      if (key === undefined && decision === undefined) {
        if (errorCode === 'service_unavailable') traffic.count('server_error', durationMs);
        return;
      }
      const outcome = usageOutcomeOf(request);
      traffic.count(outcome, durationMs);
      const lastAtMs = decision?.decidedAtMs ?? clock.now();
      const kind = {
        keyId: key?.id ?? keylessId,
        plan: planCode(key?.plan),
        minute: Math.floor(lastAtMs / 60_000),
        // The operation of requests without an API key is not recorded. Anyone can send these
        // requests, so they do not show which customers use an operation.
        operation: key === undefined ? 0 : (request.operation?.usageCode ?? 0),
        outcome: usageOutcomes.indexOf(outcome),
      };
      const keyEntries = entries.get(kind.keyId);
      // The newest entry usually matches, so the array is searched from its end. While the database
      // is down, an API key has entries of many minutes.
      const found = keyEntries?.findLast(
        (entry) =>
          entry.minute === kind.minute &&
          entry.operation === kind.operation &&
          entry.outcome === kind.outcome &&
          entry.plan === kind.plan,
      );
      if (found !== undefined) {
        found.requests += 1;
        found.lastAtMs = Math.max(found.lastAtMs, lastAtMs);
      } else if (size < maxEntries) {
        size += 1;
        const entry = { ...kind, requests: 1, lastAtMs };
        if (keyEntries === undefined) entries.set(kind.keyId, [entry]);
        else keyEntries.push(entry);
      } else {
        lost += 1;
      }
    },

    /**
     * Counts a request that was refused because of overload. The request is counted only in the
     * live traffic (the counts of the last minute).
     */
    countShed: (durationMs: number) => traffic.count('server_error', durationMs),

    take(): { entries: UsageEntry[]; traffic: Traffic } {
      const taken = { entries: [...entries.values()].flat(), traffic };
      entries = new Map();
      size = 0;
      traffic = createTraffic();
      return taken;
    },

    /** Returns the number of requests that were lost since the last call of this function. */
    takeLost(): number {
      const count = lost;
      lost = 0;
      return count;
    },
  };
}

function usageOutcomeOf({ key, errorCode, status }: UsedRequest): UsageOutcome {
  // The outcome of a refused API key is always `refused`, even if the request got a 429 because its
  // network has used up its quota.
  if (key?.refusal !== undefined) return 'refused';
  if (errorCode === 'key_temporarily_banned') return 'banned';
  if (status === 429) return 'denied';
  if (status >= 500) return 'server_error';
  return status >= 400 ? 'client_error' : 'ok';
}
