import { type UsageOutcome, usageOutcomes } from '@animal-store/admin-contract';
import type { Clock } from '@animal-store/runtime';
import { createTraffic, type Traffic } from './live-traffic.ts';
import { planCode, totalId, type UsageEntry, type UsedRequest } from './usage-entry.ts';

export type UsageCollector = ReturnType<typeof createUsageCollector>;

/** Requests without a known key are counted together: by network they would be without bound. */
const withoutKey = totalId(planCode(undefined));

/**
 * Counts requests in memory until they are flushed.
 *
 * @param options.maxEntries how many entries it holds; requests that need more are lost. One takes
 * about 130 bytes.
 */
export function createUsageCollector(options: { clock: Pick<Clock, 'now'>; maxEntries: number }) {
  const { clock, maxEntries } = options;
  let entries = new Map<string, { -readonly [Name in keyof UsageEntry]: UsageEntry[Name] }[]>();
  let size = 0;
  let lost = 0;
  let traffic = createTraffic();

  return {
    /**
     * Counts one request that a quota has decided, or that has a known key. So it counts neither CORS
     * preflights, nor requests refused because of overload, nor those whose key could not be looked
     * up: nobody knows whose they are. Live traffic has them if they failed.
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
        // Without a key, anybody can call anything: it says nothing about who uses an operation.
        operation: key === undefined ? 0 : (request.operation?.usageCode ?? 0),
        outcome: usageOutcomes.indexOf(outcome),
      };
      const ofKey = entries.get(kind.keyId);
      // The newest first: while the database is away, a key has entries of many minutes.
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

    /** Counts a request that was refused because of overload, in live traffic only. */
    countShed: (durationMs: number) => traffic.count('server_error', durationMs),

    take(): { entries: UsageEntry[]; traffic: Traffic } {
      const taken = { entries: [...entries.values()].flat(), traffic };
      entries = new Map();
      size = 0;
      traffic = createTraffic();
      return taken;
    },

    /** How many requests were lost since this was last called. */
    takeLost(): number {
      const count = lost;
      lost = 0;
      return count;
    },
  };
}

function usageOutcomeOf({ key, errorCode, status }: UsedRequest): UsageOutcome {
  // Also if the limit of its network was reached.
  if (key?.refusal !== undefined) return 'refused';
  if (errorCode === 'key_temporarily_banned') return 'banned';
  if (status === 429) return 'denied';
  if (status >= 500) return 'server_error';
  return status >= 400 ? 'client_error' : 'ok';
}
