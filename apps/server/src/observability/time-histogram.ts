import type { Histogram } from 'prom-client';

/** The last traced duration of a bucket, which leads from a graph to a trace. */
interface Exemplar {
  readonly labelSet: { readonly trace_id: string };
  readonly value: number;
  /** Unix time in seconds. */
  readonly timestamp: number;
}

/** The durations that have the same labels. */
export interface TimeSeries {
  /** @param traceId the trace of what took so long, if the trace is recorded. */
  observe(seconds: number, traceId?: string): void;
}

/**
 * A histogram of durations for a registry of prom-client.
 *
 * Each request is observed five times. `Histogram.observe` of prom-client takes 160 to 330 ns, because it checks and
 * hashes the labels and searches objects. This one takes 20 to 40 ns. Together that is 3 % of a hot list.
 */
export interface TimeHistogram {
  /** Creates the series of some labels. Ask once for each set of labels. */
  series(labels: Readonly<Record<string, string>>): TimeSeries;
  /** What a registry reads. */
  readonly metric: Histogram;
}

/**
 * Creates a {@link TimeHistogram}.
 *
 * @param options.bounds the upper bounds of the buckets in seconds, ascending.
 * @param options.now Unix time in milliseconds.
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
    // The last one counts what is above all bounds.
    const counts = new Float64Array(bounds.length + 1);
    const exemplars: (Exemplar | undefined)[] = Array.from(counts, () => undefined);
    let sum = 0;

    /** The values of the series as prom-client writes them. */
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
    // A registry asks a metric for no more than this.
    metric: metric as unknown as Histogram,
  };
}
