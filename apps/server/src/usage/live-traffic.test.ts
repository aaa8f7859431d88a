import { expect, test } from 'vitest';
import { createTraffic, mergeTraffic, quantileMs } from './live-traffic.ts';

const trafficOf = (...latencies: number[]) => {
  const traffic = createTraffic();
  for (const ms of latencies) traffic.count(ms < 100 ? 'ok' : 'denied', ms);
  return traffic;
};

test.each([0.1, 0.8, 17, 4_000])(
  'quantileMs returns a value within 10 %% of the recorded latency of %d ms',
  (ms) => {
    const found = quantileMs(trafficOf(ms), 0.5) ?? 0;
    expect(Math.abs(found - ms) / ms).toBeLessThan(0.1);
  },
);

test('quantileMs returns a high 99th percentile and a low median when only 2 % of the requests are slow', () => {
  const traffic = trafficOf(...Array<number>(980).fill(2), ...Array<number>(20).fill(500));
  expect(quantileMs(traffic, 0.5)).toBeLessThan(2.3);
  expect(quantileMs(traffic, 0.99)).toBeGreaterThan(450);
});

test('mergeTraffic adds up the outcomes and latencies of requests that several replicas have counted', () => {
  const merged = mergeTraffic([trafficOf(1), trafficOf(100, 100), { outcomes: [], latencies: [] }]);
  expect(merged.outcomes).toEqual(trafficOf(1, 100, 100).outcomes);
  expect(merged.latencies).toEqual(trafficOf(1, 100, 100).latencies);
  expect(quantileMs(mergeTraffic([]), 0.5)).toBeNull();
});
