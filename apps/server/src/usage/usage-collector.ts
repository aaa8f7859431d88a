import { type UsageOutcome, usageOutcomes } from '@animal-store/admin-contract';
import type { Clock } from '@animal-store/runtime';
import { createTraffic, type Traffic } from './live-traffic.ts';
import { planCode, totalId, type UsageEntry, type UsedRequest } from './usage-entry.ts';

export type UsageCollector = ReturnType<typeof createUsageCollector>;

/**
 * The id for all requests without a known key. Counting them by network would need an unlimited
 * number of entries.
 */
const withoutKey = totalId(planCode(undefined));

/**
 * Creates the collector, which counts requests in memory until they are flushed.
 *
 * @param options.maxEntries the largest number of entries. Requests that need another entry are
 * lost. One entry takes about 130 bytes.
 */
export function createUsageCollector(options: { clock: Pick<Clock, 'now'>; maxEntries: number }) {
  const { clock, maxEntries } = options;
  let entries = new Map<string, { -readonly [Name in keyof UsageEntry]: UsageEntry[Name] }[]>();
  let size = 0;
  let lost = 0;
  let traffic = createTraffic();

  return {
    /**
     * Counts a request that has a quota decision or a known key. CORS preflights, requests refused
     * because of overload and requests whose key could not be looked up are not counted, because
     * their caller is unknown. The failed ones appear only in live traffic.
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
        keyId: key?.id ?? withoutKey,
        plan: planCode(key?.plan),
        minute: Math.floor(lastAtMs / 60_000),
        // A caller without a key can call any operation, so its requests do not show who uses the
        // operation.
        operation: key === undefined ? 0 : (request.operation?.usageCode ?? 0),
        outcome: usageOutcomes.indexOf(outcome),
      };
      const ofKey = entries.get(kind.keyId);
      // The search starts at the newest entry: while the database is unavailable, a key has entries
      // of many minutes.
      const found = ofKey?.findLast(
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
        if (ofKey === undefined) entries.set(kind.keyId, [entry]);
        else ofKey.push(entry);
      } else {
        lost += 1;
      }
    },

    /** Counts a request that was refused because of overload. It appears only in live traffic. */
    countShed: (durationMs: number) => traffic.count('server_error', durationMs),

    take(): { entries: UsageEntry[]; traffic: Traffic } {
      const taken = { entries: [...entries.values()].flat(), traffic };
      entries = new Map();
      size = 0;
      traffic = createTraffic();
      return taken;
    },

    /** Returns the number of requests that were lost since the last call. */
    takeLost(): number {
      const count = lost;
      lost = 0;
      return count;
    },
  };
}

function usageOutcomeOf({ key, errorCode, status }: UsedRequest): UsageOutcome {
  // The outcome is the same if the request also exceeded the limit of its network.
  if (key?.refusal !== undefined) return 'refused';
  if (errorCode === 'key_temporarily_banned') return 'banned';
  if (status === 429) return 'denied';
  if (status >= 500) return 'server_error';
  return status >= 400 ? 'client_error' : 'ok';
}
