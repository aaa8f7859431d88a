import { createTestClock, type TestClock } from '@animal-store/runtime/test-clock';
import { beforeEach, expect, test } from 'vitest';
import { type LoadShedder, openLoadShedder, type Turn } from './shed-load.ts';

let clock: TestClock;
let turns: (() => void)[];
/** How long writing a refusal takes. */
let refusalMs: number;
let started: TestRequest[];
let refused: TestRequest[];

type TestRequest = ReturnType<typeof createRequest>;

beforeEach(() => {
  clock = createTestClock();
  [turns, started, refused] = [[], [], []];
  refusalMs = 0;
});

function createRequest() {
  const locals: Pick<Express.Locals, 'onAnswered'> = {};
  return { arrivedAt: clock.elapsed(), locals, req: { socket: { destroyed: false } } };
}

function open(options: { maxInFlight?: number; maxWaiting?: number } = {}) {
  const nextTurn = (run: () => void) => turns.push(run);
  const limits = { maxInFlight: 5_000, maxWaiting: 5_000, maxWaitMs: 250, ...options };
  return openLoadShedder<TestRequest>({ clock, nextTurn, ...limits });
}

const turn: Turn<TestRequest> = {
  answer: (request) => started.push(request),
  refuse(request) {
    clock.block(refusalMs);
    refused.push(request);
  },
};

function takeTurn(): void {
  for (const run of turns.splice(0)) run();
}

function enter(shedder: LoadShedder<TestRequest>, count: number): void {
  for (const request of Array.from({ length: count }, createRequest))
    if (shedder.enter(request, turn)) started.push(request);
}

function answer(count: number): void {
  for (const { locals } of started.splice(0, count)) locals.onAnswered?.();
  takeTurn();
}

test('a request beyond the limit begins when another is answered, and none overtakes it', () => {
  const shedder = open({ maxInFlight: 2 });
  enter(shedder, 3);
  expect(shedder).toMatchObject({ inFlight: 2, waiting: 1 });
  started.shift()?.locals.onAnswered?.();
  enter(shedder, 1);
  expect(shedder).toMatchObject({ inFlight: 1, waiting: 2 });
  takeTurn();
  expect(shedder).toMatchObject({ inFlight: 2, waiting: 1 });
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
  answer(1);
  expect(started.map(({ arrivedAt }) => arrivedAt)).toEqual([100]);
  expect(shedder).toMatchObject({ inFlight: 1, waiting: 0 });
});

test('if too many wait one is refused at once, the oldest if it has waited for too long', async () => {
  const shedder = open({ maxInFlight: 1, maxWaiting: 12 });
  enter(shedder, 14);
  expect(refused.length).toBe(1);
  refusalMs = 0.5;
  await clock.advance(250);
  takeTurn();
  expect(shedder.waiting).toBe(2);
  enter(shedder, 11);
  expect(refused.map(({ arrivedAt }) => arrivedAt)).toEqual(Array(12).fill(0));
  expect(shedder).toMatchObject({ inFlight: 1, waiting: 12 });
});

test('refusals take 5 % of the time, and until all are written, the newest begins first', async () => {
  const shedder = open({ maxInFlight: 1 });
  enter(shedder, 26);
  await clock.advance(100);
  enter(shedder, 1);
  await clock.advance(100);
  enter(shedder, 1);
  await clock.advance(50);
  refusalMs = 0.5;
  const seen = [];
  for (let turn = 0; turn < 3; turn += 1) {
    answer(1);
    seen.push([refused.length, started[0]?.arrivedAt]);
    await clock.advance(50);
  }
  expect(seen).toEqual([
    [10, 200],
    [15, 100],
    [20, undefined],
  ]);
  await clock.advance(1_000);
  expect([refused.length, turns, clock.timerCount()]).toEqual([20, [expect.anything()], 0]);
});

test('as many are in flight as were answered in the last 100 ms, and at least 100', async () => {
  const shedder = open();
  enter(shedder, 1_000);
  expect(shedder.inFlight).toBe(100);
  for (const count of [100, 100, 99]) answer(count);
  await clock.advance(100);
  answer(1);
  expect(shedder.inFlight).toBe(300);
  await clock.advance(100);
  answer(50);
  expect(shedder.inFlight).toBe(250);
  answer(200);
  expect(shedder.inFlight).toBe(100);
});

test('a request whose caller has gone while it waited is not answered', async () => {
  const shedder = open({ maxInFlight: 1 });
  enter(shedder, 1);
  const gone = createRequest();
  expect(shedder.enter(gone, turn)).toBe(false);
  gone.req.socket.destroyed = true;
  answer(1);
  expect(refused).toEqual([gone]);
  expect(shedder).toMatchObject({ inFlight: 0, waiting: 0 });
});

test('requests that are stuck for a second keep out no others', async () => {
  const shedder = open({ maxInFlight: 150 });
  enter(shedder, 100);
  await clock.advance(1_000);
  enter(shedder, 100);
  expect(shedder).toMatchObject({ inFlight: 150, waiting: 50 });
});
