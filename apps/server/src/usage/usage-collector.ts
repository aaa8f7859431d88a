import type { PlanName } from '@animal-store/contract';
import { type UsageOutcome, usageOperations, usageOutcomes } from '@animal-store/contract/admin';
import type { Clock } from '../shared/clock.ts';
import { planCode, totalId, type UsageEntry, type UsedRequest } from './usage-entry.ts';

export type UsageCollector = ReturnType<typeof createUsageCollector>;

/** The counts of one key in one minute. */
interface KeyMinute {
  readonly keyId: string;
  readonly plan: PlanName | undefined;
  readonly minute: number;
  /** One number for each operation and outcome. */
  readonly cells: number[];
}

const outcomeCount = usageOutcomes.length;

/** Requests without a valid key are counted together: by network they would be without bound. */
const withoutKey = totalId(planCode(undefined));

/**
 * Counts requests in memory until they are flushed.
 *
 * @param options.maxKeyMinutes how many keys and minutes it holds; requests of more are lost. One takes about
 * 300 bytes.
 */
export function createUsageCollector(options: {
  clock: Pick<Clock, 'now'>;
  maxKeyMinutes: number;
}) {
  const { clock, maxKeyMinutes } = options;
  let open = new Map<string, KeyMinute>();
  /** What belongs to an earlier minute or plan of a key in `open`. */
  let closed: KeyMinute[] = [];
  let lost = 0;

  /** Makes room for a key in a minute; `undefined` if there is none. */
  function openKeyMinute(keyId: string, plan: PlanName | undefined, minute: number) {
    if (open.size + closed.length >= maxKeyMinutes) return undefined;
    const before = open.get(keyId);
    if (before !== undefined) closed.push(before);
    const cells = Array<number>(usageOperations.length * outcomeCount).fill(0);
    const opened = { keyId, plan, minute, cells };
    open.set(keyId, opened);
    return opened;
  }

  return {
    /**
     * Counts one request that a quota has decided, or that has a valid key. So it counts neither CORS
     * preflights, nor requests refused because of overload, nor those whose key could not be looked
     * up: nobody knows whose they are.
     *
     * @returns its outcome; `undefined` if it is not to be counted.
     */
    count(request: UsedRequest): UsageOutcome | undefined {
      const { apiKey, decision } = request;
      if (apiKey === undefined && decision === undefined) return undefined;
      const keyId = apiKey?.id ?? withoutKey;
      const plan = apiKey?.plan;
      // Without a key, anybody can call anything: it says nothing about who uses an operation.
      const place = (apiKey && request.operation?.usageCode) ?? 0;
      const outcome = outcomeOf(request);
      const minute = Math.floor((decision?.decidedAtMs ?? clock.now()) / 60_000);
      let found = open.get(keyId);
      if (found === undefined || found.minute !== minute || found.plan !== plan) {
        found = openKeyMinute(keyId, plan, minute);
        if (found === undefined) {
          lost += 1;
          return outcome;
        }
      }
      const cell = place * outcomeCount + usageOutcomes.indexOf(outcome);
      found.cells[cell] = (found.cells[cell] ?? 0) + 1;
      return outcome;
    },

    /** Takes what was counted, sorted by key. */
    take(): UsageEntry[] {
      const all = [...closed, ...open.values()];
      open = new Map();
      closed = [];
      // Sorted by key, so that two statements never lock rows in opposite orders.
      all.sort((a, b) => (a.keyId < b.keyId ? -1 : a.keyId > b.keyId ? 1 : a.minute - b.minute));
      return all.flatMap(({ keyId, plan, minute, cells }) =>
        cells.flatMap((requests, cell) =>
          requests === 0
            ? []
            : [
                {
                  keyId,
                  plan: planCode(plan),
                  minute,
                  operation: Math.floor(cell / outcomeCount),
                  outcome: cell % outcomeCount,
                  requests,
                },
              ],
        ),
      );
    },

    /** How many requests were lost since this was last called. */
    takeLost(): number {
      const count = lost;
      lost = 0;
      return count;
    },
  };
}

function outcomeOf({ errorCode, status }: UsedRequest): UsageOutcome {
  if (errorCode === 'key_temporarily_banned') return 'banned';
  if (status === 429) return 'denied';
  if (status >= 500) return 'server_error';
  return status >= 400 ? 'client_error' : 'ok';
}
