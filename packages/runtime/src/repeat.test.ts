import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { repeat } from './repeat.ts';
import { createTestClock } from './test-clock.ts';

const clock = createTestClock();

beforeEach(() => {
  // With the random number 0.5, each pause has exactly its configured length.
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const onFailure = vi.fn();
const start = (work: () => Promise<unknown>) => repeat(work, { clock, pauseMs: 5_000, onFailure });

test.each([
  [0, 4_000],
  [0.75, 5_500],
])(
  '`repeat` varies the pause between two runs by up to a fifth: with the random number %d, the pause is %d ms',
  async (random, pauseMs) => {
    vi.spyOn(Math, 'random').mockReturnValue(random);
    const work = vi.fn(async () => {});
    const repetition = start(work);
    for (const times of [1, 2, 3]) {
      await clock.advance(pauseMs - 1);
      expect(work).toHaveBeenCalledTimes(times - 1);
      await clock.advance(1);
      expect(work).toHaveBeenCalledTimes(times);
    }
    await repetition.stop();
  },
);

test('after a call of now(), `repeat` runs the work again without pauses until there is no more to do', async () => {
  const work = vi.fn(async () => work.mock.calls.length % 3 !== 0);
  const repetition = start(work);
  await clock.advance(3_000);
  await repetition.now();
  expect(work).toHaveBeenCalledTimes(3);
  await clock.advance(4_999);
  expect(work).toHaveBeenCalledTimes(3);
  await clock.advance(1);
  expect(work).toHaveBeenCalledTimes(6);
  const started = repetition.now();
  await repetition.stop();
  await started;
  expect(work).toHaveBeenCalledTimes(7);
});

test('`repeat` reports a failure of the work, and runs the work again', async () => {
  const repetition = start(() => Promise.reject(new Error('away')));
  await clock.advance(10_000);
  expect(onFailure.mock.calls).toEqual([[new Error('away')], [new Error('away')]]);
  await repetition.stop();
});

test('`repeat` never runs the work twice at the same time, and stop() waits until the current run has ended', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = vi.fn(() => promise);
  const repetition = start(work);
  await clock.advance(60_000);
  const hasStopped = vi.fn();
  const stopped = repetition.stop().then(hasStopped);
  await clock.advance(60_000);
  expect(hasStopped).not.toHaveBeenCalled();
  resolve();
  await stopped;
  await repetition.now();
  await clock.advance(60_000);
  expect(work).toHaveBeenCalledTimes(1);
});

test('`repeat` runs the work only once more when now() was called several times during one run', async () => {
  const ends: (() => void)[] = [];
  const work = vi.fn(() => new Promise<void>((resolve) => ends.push(resolve)));
  const repetition = start(work);
  for (const times of [2, 4]) {
    const first = repetition.now();
    const others = Promise.all([repetition.now(), repetition.now()]);
    ends.shift()?.();
    await first;
    await clock.advance(0);
    expect(work).toHaveBeenCalledTimes(times);
    ends.shift()?.();
    await others;
  }
  await repetition.stop();
});
