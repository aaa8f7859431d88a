import type { PlanName } from '@animal-store/contract';
import { usageOperations, usageOutcomes } from '@animal-store/contract/admin';
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
const operationPlaces = new Map(usageOperations.map((name, place) => [name, place]));
const outcomePlaces = new Map(usageOutcomes.map((name, place) => [name, place]));

/** Requests without a valid key are counted together: by network they would be without bound. */
const withoutKey = totalId(planCode(undefined));

/**
 * Counts requests in memory until they are flushed.
 *
 * @param maxKeyMinutes how many keys and minutes it holds; requests of more are lost. One takes about
 * 300 bytes.
 */
export function createUsageCollector({ maxKeyMinutes }: { maxKeyMinutes: number }) {
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
    /** Counts one request. */
    count({ key, operation, outcome, at }: UsedRequest): void {
      const keyId = key?.id ?? withoutKey;
      const plan = key?.plan;
      const minute = Math.floor(at / 60_000);
      let found = open.get(keyId);
      if (found === undefined || found.minute !== minute || found.plan !== plan) {
        found = openKeyMinute(keyId, plan, minute);
        if (found === undefined) {
          lost += 1;
          return;
        }
      }
      const cell =
        (operationPlaces.get(operation) ?? 0) * outcomeCount + (outcomePlaces.get(outcome) ?? 0);
      found.cells[cell] = (found.cells[cell] ?? 0) + 1;
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
