import { type UsageOutcome, usageOutcomes } from '@animal-store/contract/admin';
import { z } from 'zod';
import type { Clock } from '../shared/clock.ts';

/**
 * The bounds of latencies, in milliseconds: each is a quarter of an octave above the one before, so a
 * quantile is known to within 10 %.
 */
const [lowestMs, stepsPerOctave, latencyCount] = [0.1, 4, 72];

/** Requests are counted in spans of 2 s, of which the last minute is kept. */
const [spanMs, spanCount] = [2_000, 30];

/** What one replica has answered lately. Its heartbeats carry it, so a deployment sees it in 2 s. */
export const ReplicaTraffic = z.object({
  /** How many seconds it covers. */
  seconds: z.int().min(0).max(60),
  /** Requests by outcome, in the order of `usageOutcomes`. */
  outcomes: z.array(z.int().min(0)).length(usageOutcomes.length),
  /** Requests by latency. Zeros at the end are left out. */
  latencies: z.array(z.int().min(0)).max(latencyCount),
});

/** What one replica has answered lately. */
export type ReplicaTraffic = z.output<typeof ReplicaTraffic>;

type Counts = Pick<ReplicaTraffic, 'outcomes' | 'latencies'>;

/** Counts of one span. */
interface Span extends Counts {
  /** Which span it is, counted from the clock's beginning. */
  readonly number: number;
}

const noCounts = (): Counts => ({
  outcomes: new Array<number>(usageOutcomes.length).fill(0),
  latencies: new Array<number>(latencyCount).fill(0),
});

/** Counts the requests of the last minute. */
export function createRecentTraffic(clock: Pick<Clock, 'elapsed'>) {
  const startedAt = clock.elapsed();
  /** The spans of the last minute, or older ones that nothing has replaced. */
  const spans: Span[] = [];
  let latest = beginSpan(spanNumber());

  function spanNumber(): number {
    return Math.floor(clock.elapsed() / spanMs);
  }

  function beginSpan(number: number): Span {
    const span = { number, ...noCounts() };
    spans[number % spanCount] = span;
    return span;
  }

  return {
    count(outcome: UsageOutcome, durationMs: number): void {
      const number = spanNumber();
      if (number !== latest.number) latest = beginSpan(number);
      add(1, latest.outcomes, usageOutcomes.indexOf(outcome));
      add(1, latest.latencies, latencyPlace(durationMs));
    },

    read(): ReplicaTraffic {
      const oldest = spanNumber() - spanCount + 1;
      // The array has holes until the first minute is over.
      const sum = sumOf(spans.filter((span) => span.number >= oldest));
      const last = sum.latencies.findLastIndex((count) => count > 0);
      const coveredMs = Math.min(clock.elapsed() - startedAt, spanCount * spanMs);
      return {
        seconds: Math.ceil(coveredMs / 1_000),
        outcomes: sum.outcomes,
        latencies: sum.latencies.slice(0, last + 1),
      };
    },
  };
}

/** The traffic of several replicas together. */
export function mergeTraffic(all: readonly ReplicaTraffic[]): ReplicaTraffic {
  return { seconds: Math.max(0, ...all.map(({ seconds }) => seconds)), ...sumOf(all) };
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

function latencyPlace(ms: number): number {
  if (ms <= lowestMs) return 0;
  return Math.min(Math.ceil(stepsPerOctave * Math.log2(ms / lowestMs)), latencyCount - 1);
}

function sumOf(all: readonly Counts[]): Counts {
  const sum = noCounts();
  for (const { outcomes, latencies } of all) {
    for (const [place, count] of outcomes.entries()) add(count, sum.outcomes, place);
    for (const [place, count] of latencies.entries()) add(count, sum.latencies, place);
  }
  return sum;
}

function add(count: number, counts: number[], place: number): void {
  counts[place] = (counts[place] ?? 0) + count;
}
