import { beforeEach, expect, test } from 'vitest';
import { measureClockDifference } from './measure-clock-difference.ts';
import { createTestClock, type TestClock } from './test-clock.ts';

const startMs = 1_800_000_000_000;

let clock: TestClock;
beforeEach(() => {
  clock = createTestClock(startMs);
});

/** Responds with the time of a clock that is `behindMs` behind, after a way of `wayMs` each. */
const respondAfter = (wayMs: number, behindMs: number) => async () => {
  clock.block(wayMs);
  const timeMs = clock.now() - behindMs;
  clock.block(wayMs);
  return timeMs;
};

test.each([
  ['ahead of', 90_000],
  ['behind', -90_000],
  ['equal to', 0],
])('the clock of this process is %s the other clock by %d ms', async (_relation, differenceMs) => {
  const difference = measureClockDifference(respondAfter(200, differenceMs), clock);
  expect(await difference).toBe(differenceMs);
});

test('a response that takes longer than the limit gives no difference', async () => {
  const response = Promise.withResolvers<number>();
  const difference = measureClockDifference(() => response.promise, clock);
  await clock.advance(1_000);
  response.resolve(startMs);
  expect(await difference).toBeUndefined();
});

test('a clock that cannot be read gives no difference, and its late failure is ignored', async () => {
  const failed = () => Promise.reject(new Error('The connection is closed.'));
  expect(await measureClockDifference(failed, clock)).toBeUndefined();
  const response = Promise.withResolvers<number>();
  const difference = measureClockDifference(() => response.promise, clock);
  await clock.advance(1_000);
  expect(await difference).toBeUndefined();
  response.reject(new Error('The connection is closed.'));
});
