import { expect, test } from 'vitest';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createRecentTraffic, mergeTraffic, quantileMs } from './replica-traffic.ts';

const [ok, denied] = ['ok', 'denied'] as const;

function atTime() {
  const clock = createTestClock();
  return { traffic: createRecentTraffic(clock), pass: clock.advance };
}

test('requests are counted by outcome, for a minute', async () => {
  const { traffic, pass } = atTime();
  traffic.count(ok, 1);
  await pass(30_000);
  traffic.count(ok, 1);
  traffic.count(denied, 1);
  expect(traffic.read()).toMatchObject({ seconds: 30, outcomes: [2, 0, 0, 1, 0] });
  await pass(31_000);
  expect(traffic.read()).toMatchObject({ seconds: 60, outcomes: [1, 0, 0, 1, 0] });
  await pass(60_000);
  expect(traffic.read()).toEqual({ seconds: 60, outcomes: [0, 0, 0, 0, 0], latencies: [] });
});

test('a span of time is reused after a long silence', async () => {
  const { traffic, pass } = atTime();
  traffic.count(ok, 1);
  await pass(600_000);
  traffic.count(denied, 1);
  expect(traffic.read().outcomes).toEqual([0, 0, 0, 1, 0]);
});

test.each([0.05, 0.8, 3, 17, 250, 4_000])('quantiles are known to within 10 %%: %d ms', (ms) => {
  const { traffic } = atTime();
  traffic.count(ok, ms);
  const found = quantileMs(traffic.read(), 0.5) ?? 0;
  // Below 0.1 ms nothing is told apart.
  expect(Math.abs(found - Math.max(ms, 0.09)) / ms).toBeLessThan(ms < 0.1 ? 1 : 0.1);
});

test('the slow hundredth shows in the 99th percentile, not in the median', () => {
  const { traffic } = atTime();
  for (let n = 0; n < 980; n++) traffic.count(ok, 2);
  for (let n = 0; n < 20; n++) traffic.count(ok, 500);
  const read = traffic.read();
  expect(quantileMs(read, 0.5)).toBeLessThan(2.3);
  expect(quantileMs(read, 0.99)).toBeGreaterThan(450);
});

test('the traffic of several replicas adds up', () => {
  const [one, other] = [atTime().traffic, atTime().traffic];
  one.count(ok, 1);
  other.count(ok, 100);
  other.count(denied, 100);
  const merged = mergeTraffic([one.read(), other.read()]);
  expect(merged.outcomes).toEqual([2, 0, 0, 1, 0]);
  expect(quantileMs(merged, 0.99)).toBeGreaterThan(90);
  expect(quantileMs(mergeTraffic([]), 0.5)).toBeNull();
});
