import { type UsageOutcome, usageOutcomes } from '@animal-store/admin-contract';

/**
 * The buckets of the latency histogram: the lowest bound in milliseconds, the number of buckets in
 * which the bounds double, and the number of all buckets. Each bound is 19 % above the previous
 * one, so quantiles are accurate to within 10 %.
 */
const [lowestMs, stepsPerOctave, latencyCount] = [0.1, 4, 72];

/** The requests that were finished in a period. */
export interface Traffic {
  /** The number of requests by outcome, in the order of `usageOutcomes`. */
  readonly outcomes: readonly number[];
  readonly latencies: readonly number[];
}

export function createTraffic() {
  const outcomes = new Array<number>(usageOutcomes.length).fill(0);
  const latencies = new Array<number>(latencyCount).fill(0);
  return {
    count(outcome: UsageOutcome, durationMs: number): void {
      add(1, outcomes, usageOutcomes.indexOf(outcome));
      add(1, latencies, latencyIndex(durationMs));
    },
    outcomes,
    latencies,
  };
}

export function mergeTraffic(all: readonly Traffic[]): Traffic {
  const sum = createTraffic();
  for (const { outcomes, latencies } of all) {
    for (const [index, count] of outcomes.entries()) add(count, sum.outcomes, index);
    for (const [index, count] of latencies.entries()) add(count, sum.latencies, index);
  }
  return sum;
}

/**
 * Returns a quantile of the latencies in milliseconds. For example, with `share` 0.99, 99 % of all
 * requests took this time or less. Returns `null` if there are no requests.
 */
export function quantileMs({ latencies }: Traffic, share: number): number | null {
  const total = latencies.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let seen = 0;
  const index = latencies.findIndex((count) => {
    seen += count;
    return seen >= total * share;
  });
  // The result is the middle of the bucket, because the latencies are spread over the bucket.
  return lowestMs * 2 ** ((index - 0.5) / stepsPerOctave);
}

function latencyIndex(ms: number): number {
  if (ms <= lowestMs) return 0;
  return Math.min(Math.ceil(stepsPerOctave * Math.log2(ms / lowestMs)), latencyCount - 1);
}

function add(count: number, counts: number[], index: number): void {
  counts[index] = (counts[index] ?? 0) + count;
}
