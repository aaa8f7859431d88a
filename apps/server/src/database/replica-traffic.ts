import { z } from 'zod';

/** The outcomes that are told apart, by their place in the contract's list. */
const outcomeCount = 5;

/**
 * The bounds of latencies, in milliseconds: each is a quarter of an octave above the one before, so a
 * quantile is known to within 10 %.
 */
const [lowestMs, stepsPerOctave, latencyCount] = [0.1, 4, 72];

/** What one replica has answered lately. Its heartbeats carry it, so a deployment sees it in 2 s. */
export const ReplicaTraffic = z.object({
  /** How many seconds it covers. */
  seconds: z.int().min(0).max(60),
  /** Requests by outcome. */
  outcomes: z.array(z.int().min(0)).length(outcomeCount),
  /** Requests by latency. Zeros at the end are left out. */
  latencies: z.array(z.int().min(0)).max(latencyCount),
});

/** What one replica has answered lately. */
export type ReplicaTraffic = z.output<typeof ReplicaTraffic>;

export const emptyOutcomes = (): number[] => new Array<number>(outcomeCount).fill(0);
export const emptyLatencies = (): number[] => new Array<number>(latencyCount).fill(0);

/** The place of a latency. */
export function latencyPlace(ms: number): number {
  if (ms <= lowestMs) return 0;
  return Math.min(Math.ceil(stepsPerOctave * Math.log2(ms / lowestMs)), latencyCount - 1);
}

/** The traffic of several replicas together. */
export function mergeTraffic(all: readonly ReplicaTraffic[]): ReplicaTraffic {
  const outcomes = emptyOutcomes();
  const latencies = emptyLatencies();
  for (const traffic of all) {
    addTo(outcomes, traffic.outcomes);
    addTo(latencies, traffic.latencies);
  }
  return { seconds: Math.max(0, ...all.map(({ seconds }) => seconds)), outcomes, latencies };
}

/** The latency that a share of the requests does not exceed; `null` without requests. */
export function quantileMs({ latencies }: ReplicaTraffic, share: number): number | null {
  const total = latencies.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let seen = 0;
  const place = latencies.findIndex((count) => {
    seen += count;
    return seen >= total * share;
  });
  // The middle of the bounds, as latencies are spread over them.
  return lowestMs * 2 ** ((place - 0.5) / stepsPerOctave);
}

/** Adds counts to others, place by place. */
export function addTo(sums: number[], counts: readonly number[]): void {
  for (const [place, count] of counts.entries()) sums[place] = (sums[place] ?? 0) + count;
}
