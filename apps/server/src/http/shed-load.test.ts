import { beforeEach, expect, test } from 'vitest';
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts';
import { openLoadShedder } from './shed-load.ts';

let clock: TestClock;
let turns: (() => void)[];
let started: TestRequest[];
let refused: TestRequest[];

type TestRequest = ReturnType<typeof createRequest>;

beforeEach(() => {
  clock = createTestClock();
  [turns, started, refused] = [[], [], []];
});

function createRequest() {
  const request = {
    arrivedAt: clock.elapsed(),
    start: () => started.push(request),
    refuse: () => refused.push(request),
  };
  return request;
}

function open(options: { maxInFlight?: number; maxWaiting?: number } = {}) {
  const nextTurn = (run: () => void) => turns.push(run);
  const limits = { maxInFlight: 5_000, maxWaiting: 5_000, maxWaitMs: 250, ...options };
  return openLoadShedder({ clock, nextTurn, ...limits });
}

function takeTurn(): void {
  for (const run of turns.splice(0)) run();
}

function enter(shedder: ReturnType<typeof open>, count: number): void {
  for (let i = 0; i < count; i += 1) shedder.enter(createRequest());
}

function answer(shedder: ReturnType<typeof open>, count: number): void {
  for (const request of started.splice(0, count)) shedder.leave(request);
  takeTurn();
}

test('a request beyond the limit begins when another is answered', () => {
  const shedder = open({ maxInFlight: 2 });
  enter(shedder, 3);
  expect(shedder).toMatchObject({ inFlight: 2, waiting: 1 });
  answer(shedder, 1);
  expect(shedder).toMatchObject({ inFlight: 2, waiting: 0 });
});

test('a request that has waited for too long is refused, even if none is answered', async () => {
  const shedder = open({ maxInFlight: 1 });
  enter(shedder, 2);
  await clock.advance(100);
  enter(shedder, 1);
  await clock.advance(149);
  takeTurn();
  expect(refused).toEqual([]);
  await clock.advance(1);
  takeTurn();
  expect(refused.map(({ arrivedAt }) => arrivedAt)).toEqual([0]);
  answer(shedder, 1);
  expect(started.map(({ arrivedAt }) => arrivedAt)).toEqual([100]);
  expect(shedder).toMatchObject({ inFlight: 1, waiting: 0 });
});

test('if too many wait one is refused at once, the oldest if it has waited for too long', async () => {
  const shedder = open({ maxInFlight: 1, maxWaiting: 12 });
  enter(shedder, 14);
  expect(refused.length).toBe(1);
  await clock.advance(250);
  takeTurn();
  expect(shedder.waiting).toBe(2);
  enter(shedder, 11);
  expect(refused.map(({ arrivedAt }) => arrivedAt)).toEqual(Array(12).fill(0));
  expect(shedder).toMatchObject({ inFlight: 1, waiting: 12 });
});

test('ten requests are refused in a turn, and until all are, the newest begins first', async () => {
  const shedder = open({ maxInFlight: 1 });
  enter(shedder, 26);
  await clock.advance(100);
  enter(shedder, 1);
  await clock.advance(100);
  enter(shedder, 1);
  await clock.advance(50);
  const seen = [];
  for (let turn = 0; turn < 3; turn += 1) {
    answer(shedder, 1);
    seen.push([refused.length, started[0]?.arrivedAt]);
  }
  expect(seen).toEqual([
    [10, 200],
    [20, 100],
    [25, undefined],
  ]);
  expect(turns).toEqual([]);
});

test('as many are in flight as were answered in the last 100 ms, and at least 100', async () => {
  const shedder = open();
  enter(shedder, 1_000);
  expect(shedder.inFlight).toBe(100);
  for (const count of [100, 100, 99]) answer(shedder, count);
  await clock.advance(100);
  answer(shedder, 1);
  expect(shedder.inFlight).toBe(300);
  await clock.advance(100);
  answer(shedder, 50);
  expect(shedder.inFlight).toBe(250);
  answer(shedder, 200);
  expect(shedder.inFlight).toBe(100);
});

test('requests that are stuck for a second keep out no others', async () => {
  const shedder = open({ maxInFlight: 150 });
  enter(shedder, 100);
  await clock.advance(1_000);
  enter(shedder, 100);
  expect(shedder).toMatchObject({ inFlight: 150, waiting: 50 });
});

test.each([2, 4])('at %d times the capacity nearly all of it is used, in time', async (load) => {
  const shedder = open();
  const perMs = 5;
  const tookMs: number[] = [];
  for (let ms = 0; ms < 2_000; ms += 1) {
    enter(shedder, load * perMs);
    for (const { arrivedAt } of started.slice(0, perMs)) tookMs.push(clock.elapsed() - arrivedAt);
    answer(shedder, perMs);
    await clock.advance(1);
  }
  expect(tookMs.length).toBeGreaterThan(0.99 * 2_000 * perMs);
  expect(Math.max(...tookMs)).toBeLessThanOrEqual(400);
  expect(refused.length).toBeGreaterThan(0);
});
