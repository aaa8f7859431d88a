import { Counter, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { counterSeries, histogramSeries } from './metric-series.ts';

const registers = [new Registry()];
const help = 'Help.';

test('a series of a counter counts as inc does', async () => {
  const counter = new Counter({ name: 'counted', help, labelNames: ['a', 'b'], registers });
  const labels = { a: 'x', b: 1 };
  counterSeries(counter, labels).value += 2;
  counter.inc(labels);
  counterSeries(counter, { b: 1, a: 'x' }).value += 1;
  counterSeries(counter, { a: 'y', b: 1 });
  expect((await counter.get()).values).toEqual([
    { labels, value: 4 },
    { labels: { a: 'y', b: 1 }, value: 0 },
  ]);
});

test('a series of a histogram observes as observe does', async () => {
  const buckets = [0.5, 1, 2];
  const create = (name: string) =>
    new Histogram({ name, help, labelNames: ['a'], buckets, registers });
  const [ours, theirs] = [create('ours'), create('theirs')];
  for (const value of [0, 0.5, 0.7, 1.5, 2, 3]) {
    histogramSeries(ours, buckets, { a: 'x' })(value);
    theirs.observe({ a: 'x' }, value);
  }
  const shown = async (name: string) =>
    (await registers[0]?.getSingleMetricAsString(name))?.replaceAll(name, '');
  expect(await shown('ours')).toContain('_count{a="x"} 6');
  expect(await shown('ours')).toBe(await shown('theirs'));
});
