import { isDeepStrictEqual } from 'node:util';
import type { Counter, Histogram } from 'prom-client';

/** A counter's number for one combination of labels. */
export interface CounterSeries {
  value: number;
}

/** A histogram's numbers for one combination of labels. */
interface HistogramSeries {
  readonly bucketValues: Record<number, number>;
  sum: number;
  count: number;
}

type Labels = Readonly<Record<string, string | number>>;

/** Where prom-client keeps its numbers. Its types lack it. */
interface Stored<Series> {
  readonly hashMap: Readonly<Record<string, Series & { readonly labels: Labels }>>;
}

/**
 * Looks up a series of a counter once, so that counting is one addition. `inc` puts the labels into a
 * string for each call.
 */
export function counterSeries(counter: Counter, labels: Labels): CounterSeries {
  return seriesOf<CounterSeries>(counter, labels, () => counter.inc(labels, 0));
}

/** Looks up a series of a histogram once, and gives the function that observes a value. */
export function histogramSeries(
  histogram: Histogram,
  bounds: readonly number[],
  labels: Labels,
): (value: number) => void {
  const series = seriesOf<HistogramSeries>(histogram, labels, () => histogram.zero(labels));
  const { bucketValues } = series;
  return (value) => {
    series.sum += value;
    series.count += 1;
    for (const bound of bounds) {
      if (value > bound) continue;
      bucketValues[bound] = (bucketValues[bound] ?? 0) + 1;
      return;
    }
  };
}

function seriesOf<Series>(
  metric: Counter | Histogram,
  labels: Labels,
  create: () => unknown,
): Series {
  const find = () =>
    Object.values((metric as unknown as Stored<Series>).hashMap).find((series) =>
      isDeepStrictEqual(series.labels, labels),
    );
  if (find() === undefined) create();
  const series = find();
  if (series === undefined) throw new TypeError('prom-client keeps its series elsewhere.');
  return series;
}

/** Creates a function that computes each value once. */
export function remember<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const values = new Map<Key, Value>();
  return (key) => {
    let value = values.get(key);
    if (value === undefined) {
      value = compute(key);
      values.set(key, value);
    }
    return value;
  };
}
