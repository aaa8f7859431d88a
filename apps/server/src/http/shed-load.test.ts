import type { Response } from 'express';
import { beforeEach, expect, test } from 'vitest';
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts';
import { type LoadShedder, openLoadShedder } from './shed-load.ts';

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
  const locals: Pick<Express.Locals, 'onAnswered'> = {};
  return { arrivedAt: clock.elapsed(), locals, req: { socket: { destroyed: false } } };
}

function open(options: { maxInFlight?: number; maxWaiting?: number } = {}) {
  const nextTurn = (run: () => void) => turns.push(run);
  const limits = { maxInFlight: 5_000, maxWaiting: 5_000, maxWaitMs: 250, ...options };
  return openLoadShedder({ clock, nextTurn, ...limits });
}

async function takeTurn(): Promise<void> {
  for (const run of turns.splice(0)) run();
  await Promise.resolve();
}

async function enter(shedder: LoadShedder, count: number): Promise<void> {
  const requests = Array.from({ length: count }, createRequest);
  for (const request of requests) {
    const turn = shedder.enter(request as TestRequest & Pick<Response, 'locals'>);
    if (turn === true) started.push(request);
    else void turn.then((isItsTurn) => (isItsTurn ? started : refused).push(request));
  }
  await Promise.resolve();
}

async function answer(count: number): Promise<void> {
  for (const { locals } of started.splice(0, count)) locals.onAnswered?.();
  await takeTurn();
}

test('a request beyond the limit begins when another is answered', async () => {
  const shedder = open({ maxInFlight: 2 });
  await enter(shedder, 3);
  expect(shedder).toMatchObject({ inFlight: 2, waiting: 1 });
  await answer(1);
  expect(shedder).toMatchObject({ inFlight: 2, waiting: 0 });
});

test('a request that has waited for too long is refused, even if none is answered', async () => {
  const shedder = open({ maxInFlight: 1 });
  await enter(shedder, 2);
  await clock.advance(100);
  await enter(shedder, 1);
  await clock.advance(149);
  await takeTurn();
  expect(refused).toEqual([]);
  await clock.advance(1);
  await takeTurn();
  expect(refused.map(({ arrivedAt }) => arrivedAt)).toEqual([0]);
  await answer(1);
  expect(started.map(({ arrivedAt }) => arrivedAt)).toEqual([100]);
  expect(shedder).toMatchObject({ inFlight: 1, waiting: 0 });
});

test('if too many wait one is refused at once, the oldest if it has waited for too long', async () => {
  const shedder = open({ maxInFlight: 1, maxWaiting: 12 });
  await enter(shedder, 14);
  expect(refused.length).toBe(1);
  await clock.advance(250);
  await takeTurn();
  expect(shedder.waiting).toBe(2);
  await enter(shedder, 11);
  expect(refused.map(({ arrivedAt }) => arrivedAt)).toEqual(Array(12).fill(0));
  expect(shedder).toMatchObject({ inFlight: 1, waiting: 12 });
});

test('ten requests are refused in a turn, and until all are, the newest begins first', async () => {
  const shedder = open({ maxInFlight: 1 });
  await enter(shedder, 26);
  await clock.advance(100);
  await enter(shedder, 1);
  await clock.advance(100);
  await enter(shedder, 1);
  await clock.advance(50);
  const seen = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await answer(1);
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
  await enter(shedder, 1_000);
  expect(shedder.inFlight).toBe(100);
  for (const count of [100, 100, 99]) await answer(count);
  await clock.advance(100);
  await answer(1);
  expect(shedder.inFlight).toBe(300);
  await clock.advance(100);
  await answer(50);
  expect(shedder.inFlight).toBe(250);
  await answer(200);
  expect(shedder.inFlight).toBe(100);
});

test('a request whose caller has gone while it waited is not answered, and its slot is freed', async () => {
  const shedder = open({ maxInFlight: 1 });
  await enter(shedder, 1);
  const gone = createRequest();
  const turn = shedder.enter(gone as TestRequest & Pick<Response, 'locals'>);
  gone.req.socket.destroyed = true;
  await answer(1);
  expect(await turn).toBe(false);
  expect(shedder.inFlight).toBe(1);
  gone.locals.onAnswered?.();
  expect(shedder.inFlight).toBe(0);
});

test('requests that are stuck for a second keep out no others', async () => {
  const shedder = open({ maxInFlight: 150 });
  await enter(shedder, 100);
  await clock.advance(1_000);
  await enter(shedder, 100);
  expect(shedder).toMatchObject({ inFlight: 150, waiting: 50 });
});

test.each([2, 4])('at %d times the capacity nearly all of it is used, in time', async (load) => {
  const shedder = open();
  const perMs = 5;
  const tookMs: number[] = [];
  for (let ms = 0; ms < 2_000; ms += 1) {
    await enter(shedder, load * perMs);
    for (const { arrivedAt } of started.slice(0, perMs)) tookMs.push(clock.elapsed() - arrivedAt);
    await answer(perMs);
    await clock.advance(1);
  }
  expect(tookMs.length).toBeGreaterThan(0.99 * 2_000 * perMs);
  expect(Math.max(...tookMs)).toBeLessThanOrEqual(400);
  expect(refused.length).toBeGreaterThan(0);
});
