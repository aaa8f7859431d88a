import {
  addTo,
  emptyLatencies,
  emptyOutcomes,
  latencyPlace,
  type ReplicaTraffic,
} from '../database/replica-traffic.ts';

const slotMs = 2_000;
const slotCount = 30;

interface Slot {
  /** Which span of 2 s it covers, counted from the clock's beginning. */
  readonly number: number;
  readonly outcomes: number[];
  readonly latencies: number[];
}

/**
 * Counts the requests of the last minute, in spans of 2 s that replace each other.
 *
 * @param clock A monotonic clock, in milliseconds.
 */
export function createRecentTraffic(clock: () => number = () => performance.now()) {
  const startedAt = clock();
  const slots: Slot[] = [];
  let latest: Slot = newSlot(slotNumber());

  function slotNumber(): number {
    return Math.floor(clock() / slotMs);
  }

  function newSlot(number: number): Slot {
    const slot = { number, outcomes: emptyOutcomes(), latencies: emptyLatencies() };
    slots[number % slotCount] = slot;
    return slot;
  }

  return {
    /** Counts a request. @param outcome its place in the list of outcomes. */
    count(outcome: number, durationMs: number): void {
      const number = slotNumber();
      if (number !== latest.number) latest = newSlot(number);
      addOne(latest.outcomes, outcome);
      addOne(latest.latencies, latencyPlace(durationMs));
    },

    read(): ReplicaTraffic {
      const oldest = slotNumber() - slotCount + 1;
      const outcomes = emptyOutcomes();
      const latencies = emptyLatencies();
      for (const slot of slots) {
        // The array has holes until the first minute is over.
        if (slot === undefined || slot.number < oldest) continue;
        addTo(outcomes, slot.outcomes);
        addTo(latencies, slot.latencies);
      }
      const last = latencies.findLastIndex((count) => count > 0);
      const coveredMs = Math.min(clock() - startedAt, slotCount * slotMs);
      return {
        seconds: Math.ceil(coveredMs / 1_000),
        outcomes,
        latencies: latencies.slice(0, last + 1),
      };
    },
  };
}

function addOne(counts: number[], place: number): void {
  counts[place] = (counts[place] ?? 0) + 1;
}
