import { Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createTimeHistogram } from './time-histogram.ts';

const bounds = [0.001, 0.01, 1];
const about = { name: 'seconds', help: 'Seconds.' };

function openHistograms() {
  const [ours, theirs] = [new Registry(), new Registry()];
  const histogram = createTimeHistogram({ ...about, bounds, now: () => 1_500 });
  ours.registerMetric(histogram.metric);
  const model = new Histogram({
    ...about,
    buckets: bounds,
    labelNames: ['route'],
    registers: [theirs],
  });
  return { ours, theirs, histogram, model };
}

test('createTimeHistogram writes the same metrics text as a histogram of prom-client', async () => {
  const { ours, theirs, histogram, model } = openHistograms();
  const [a, b] = ['/a', '/b'].map((route) => histogram.series({ route }));
  for (const seconds of [0, 0.001, 0.0011, 0.01, 1, 1.5, 60]) {
    a?.observe(seconds);
    model.observe({ route: '/a' }, seconds);
  }
  b?.observe(0.5, 'abc');
  model.observe({ route: '/b' }, 0.5);
  expect(await ours.metrics()).toBe(await theirs.metrics());
});

test('createTimeHistogram keeps the last traced duration of each bucket as its exemplar, even when untraced durations follow', async () => {
  const { ours, histogram } = openHistograms();
  const series = histogram.series({ route: '/a' });
  series.observe(0.5, 'first');
  series.observe(0.7, 'second');
  series.observe(0.9);
  series.observe(2, 'above');
  const values = (await ours.getMetricsAsJSON())[0]?.values ?? [];
  expect(values.map((value) => ('exemplar' in value ? value.exemplar : undefined))).toEqual([
    ...[undefined, undefined],
    { labelSet: { trace_id: 'second' }, value: 0.7, timestamp: 1.5 },
    { labelSet: { trace_id: 'above' }, value: 2, timestamp: 1.5 },
    ...[undefined, undefined],
  ]);
});
