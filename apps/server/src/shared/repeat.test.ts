import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts';
import { repeat } from './repeat.ts';

let clock: TestClock;

beforeEach(() => {
  clock = createTestClock();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const onFailure = (failure: unknown) => {
  throw failure;
};

test.each([
  [0, 4_000],
  [0.5, 5_000],
  [0.75, 5_500],
])('the pause varies by a fifth: for the random number %d it is %d ms', async (random, pauseMs) => {
  vi.spyOn(Math, 'random').mockReturnValue(random);
  const work = vi.fn(async () => {});
  const repetition = repeat(work, { clock, pauseMs: 5_000, onFailure });
  for (const times of [1, 2, 3]) {
    await clock.advance(pauseMs - 1);
    expect(work).toHaveBeenCalledTimes(times - 1);
    await clock.advance(1);
    expect(work).toHaveBeenCalledTimes(times);
  }
  await repetition.stop();
});

test('work that takes longer than the pause never runs twice at once', async () => {
  let running = 0;
  let most = 0;
  const repetition = repeat(
    async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => clock.after(20_000, resolve));
      running -= 1;
    },
    { clock, pauseMs: 5_000, onFailure },
  );
  await clock.advance(100_000);
  expect(most).toBe(1);
  const stopped = repetition.stop();
  await clock.advance(20_000);
  await stopped;
});

test('work that says that there is more is done again without a pause, until it is stopped', async () => {
  const work = vi.fn(async () => work.mock.calls.length % 3 !== 0);
  const repetition = repeat(work, { clock, pauseMs: 5_000, onFailure });
  await repetition.now();
  expect(work).toHaveBeenCalledTimes(3);
  const started = repetition.now();
  await repetition.stop();
  await started;
  expect(work).toHaveBeenCalledTimes(4);
});

test('work that failed is reported, and repeated', async () => {
  const failures: unknown[] = [];
  const work = vi.fn(async () => {
    throw new Error('away');
  });
  const repetition = repeat(work, {
    clock,
    pauseMs: 5_000,
    onFailure: (failure) => failures.push(failure),
  });
  await clock.advance(13_000);
  expect(work.mock.calls.length).toBeGreaterThanOrEqual(2);
  expect(failures).toHaveLength(work.mock.calls.length);
  await repetition.stop();
});

test('a stop waits for the work that is under way, and starts no more', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = vi.fn(() => promise);
  const repetition = repeat(work, { clock, pauseMs: 5_000, onFailure });
  await clock.advance(6_000);
  expect(work).toHaveBeenCalledTimes(1);

  let hasStopped = false;
  const stopped = repetition.stop().then(() => {
    hasStopped = true;
  });
  await clock.advance(60_000);
  expect(hasStopped).toBe(false);
  resolve();
  await stopped;
  await clock.advance(60_000);
  expect(work).toHaveBeenCalledTimes(1);
});

test('work can be done at once, and goes on after its pause', async () => {
  const work = vi.fn(async () => {});
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  const repetition = repeat(work, { clock, pauseMs: 5_000, onFailure });
  await clock.advance(3_000);
  await repetition.now();
  expect(work).toHaveBeenCalledTimes(1);
  await clock.advance(4_999);
  expect(work).toHaveBeenCalledTimes(1);
  await clock.advance(1);
  expect(work).toHaveBeenCalledTimes(2);
  await repetition.stop();
  await repetition.now();
  expect(work).toHaveBeenCalledTimes(2);
});

test('while work is under way, all who want it at once share the next time', async () => {
  const ends: (() => void)[] = [];
  const work = vi.fn(() => new Promise<void>((resolve) => ends.push(resolve)));
  const repetition = repeat(work, { clock, pauseMs: 5_000, onFailure });
  const first = repetition.now();
  const others = Promise.all([repetition.now(), repetition.now()]);
  ends[0]?.();
  await first;
  await clock.advance(0);
  expect(work).toHaveBeenCalledTimes(2);
  ends[1]?.();
  await others;
  await repetition.stop();
});
