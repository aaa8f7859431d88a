import { createTestClock, type TestClock } from '@animal-store/runtime/test-clock';
import { beforeEach, expect, test } from 'vitest';
import { type LoadShedder, openLoadShedder, type WaitingHandlers } from './load-shedder.ts';

let clock: TestClock;
let callbacks: (() => void)[];
/** The time in milliseconds that the fake handler needs to write a refusal. */
let refusalMs: number;
let started: TestRequest[];
let refused: TestRequest[];

type TestRequest = ReturnType<typeof createRequest>;

beforeEach(() => {
  clock = createTestClock();
  [callbacks, started, refused] = [[], [], []];
  refusalMs = 0;
});

function createRequest(caller = 'caller') {
  const locals: Pick<Express.Locals, 'onAnswered'> = {};
  const socket = {
    destroyed: false,
    isPaused: false,
    pause() {
      socket.isPaused = true;
    },
    resume() {
      socket.isPaused = false;
    },
  };
  return { caller, arrivedAt: clock.elapsed(), locals, req: { socket } };
}

function open(options: { maxInFlight?: number; maxWaiting?: number; maxWaitMs?: number } = {}) {
  const nextIteration = (run: () => void) => callbacks.push(run);
  const limits = { maxInFlight: 5_000, maxWaiting: 5_000, maxWaitMs: 250, ...options };
  return openLoadShedder<TestRequest>({ clock, nextIteration, ...limits });
}

const handlers: WaitingHandlers<TestRequest> = {
  callerOf: ({ caller }) => ({
    name: caller,
    group: caller.startsWith('network') ? 'networks' : 'keys',
  }),
  answer: (request) => started.push(request),
  refuse(request) {
    clock.block(refusalMs);
    refused.push(request);
  },
};

function runIteration(): void {
  for (const run of callbacks.splice(0)) run();
}

/** Runs enough iterations to start all requests that may start. */
function runIterations(): void {
  for (let i = 0; i < 10; i += 1) runIteration();
}

function enter(shedder: LoadShedder<TestRequest>, count: number, caller?: string): void {
  for (const request of Array.from({ length: count }, () => createRequest(caller)))
    if (shedder.enter(request, handlers)) started.push(request);
}

function answer(count: number): void {
  for (const { locals } of started.splice(0, count)) locals.onAnswered?.();
  runIteration();
}

test('the load shedder starts a waiting request before a new request when a response frees a slot', () => {
  const shedder = open({ maxInFlight: 2 });
  enter(shedder, 3);
  expect(shedder).toMatchObject({ inFlight: 2, waiting: 1 });
  started.shift()?.locals.onAnswered?.();
  enter(shedder, 1);
  expect(shedder).toMatchObject({ inFlight: 1, waiting: 2 });
  runIteration();
  expect(shedder).toMatchObject({ inFlight: 2, waiting: 1 });
});

test('the load shedder refuses a request that has waited too long, even if no response frees a slot', async () => {
  const shedder = open({ maxInFlight: 1 });
  enter(shedder, 2);
  await clock.advance(100);
  enter(shedder, 1);
  await clock.advance(149);
  runIteration();
  expect(refused).toEqual([]);
  await clock.advance(1);
  runIteration();
  expect(refused.map(({ arrivedAt }) => arrivedAt)).toEqual([0]);
  answer(1);
  expect(started.map(({ arrivedAt }) => arrivedAt)).toEqual([100]);
  expect(shedder).toMatchObject({ inFlight: 1, waiting: 0 });
});

test('when the wait queue is full, the load shedder refuses one request for each new request, and begins with requests that have waited too long', async () => {
  const shedder = open({ maxInFlight: 1, maxWaiting: 12 });
  enter(shedder, 14);
  expect(refused.length).toBe(1);
  refusalMs = 0.5;
  await clock.advance(250);
  runIteration();
  expect(shedder.waiting).toBe(2);
  enter(shedder, 11);
  expect(refused.map(({ arrivedAt }) => arrivedAt)).toEqual(Array(12).fill(0));
  expect(shedder).toMatchObject({ inFlight: 1, waiting: 12 });
});

test('while many requests have waited too long, the load shedder spends 5 % of the time on refusals and starts the newest request first', async () => {
  const shedder = open({ maxInFlight: 1 });
  enter(shedder, 26);
  await clock.advance(100);
  enter(shedder, 1);
  await clock.advance(100);
  enter(shedder, 1);
  await clock.advance(50);
  refusalMs = 0.5;
  const seen = [];
  for (let iteration = 0; iteration < 3; iteration += 1) {
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
  expect([refused.length, callbacks, clock.timerCount()]).toEqual([20, [expect.anything()], 0]);
});

test.each([
  // In the first case, 100 requests finish every 30 ms. The limit is the 200 requests that finish
  // in twice this time, 60 ms. In the second case, 100 requests finish every 60 ms. Twice this time
  // is more than the maximum of 100 ms. So the limit is the 167 requests that finish in 100 ms.
  ['twice the time of the fastest', 30, 200],
  ['100 ms if the fastest takes longer than 50 ms', 60, 167],
])(
  'the load shedder allows as many requests in flight as can finish within %s',
  async (_time, ms, limit) => {
    const shedder = open();
    enter(shedder, 1_000);
    runIterations();
    expect(shedder.inFlight).toBe(100);
    for (let elapsed = 0; elapsed < 120; elapsed += ms) {
      await clock.advance(ms);
      answer(100);
      runIterations();
    }
    expect(shedder.inFlight).toBe(limit);
  },
);

test('the load shedder allows at least 100 requests in flight', async () => {
  const shedder = open();
  enter(shedder, 1_000);
  await clock.advance(100);
  answer(1);
  expect(shedder.inFlight).toBe(100);
});

test('the load shedder does not start a waiting request after its caller has disconnected', async () => {
  const shedder = open({ maxInFlight: 1 });
  enter(shedder, 1);
  const gone = createRequest();
  expect(shedder.enter(gone, handlers)).toBe(false);
  gone.req.socket.destroyed = true;
  answer(1);
  expect(refused).toEqual([gone]);
  expect(shedder).toMatchObject({ inFlight: 0, waiting: 0 });
});

test('the load shedder starts further requests after others have been in flight for a second, but never exceeds the limit `maxInFlight`', async () => {
  const shedder = open({ maxInFlight: 150 });
  enter(shedder, 100);
  runIterations();
  expect(shedder).toMatchObject({ inFlight: 100, waiting: 0 });
  await clock.advance(1_000);
  enter(shedder, 100);
  runIterations();
  expect(shedder).toMatchObject({ inFlight: 150, waiting: 50 });
});

test('the load shedder starts the first request of a new caller before all other waiting requests, and then alternates between the callers', () => {
  const shedder = open({ maxInFlight: 1 });
  enter(shedder, 5, 'noisy');
  answer(1);
  enter(shedder, 3, 'quiet');
  const order: string[] = [];
  for (let i = 0; i < 7; i += 1) {
    answer(1);
    order.push(...started.map(({ caller }) => caller));
  }
  expect(order).toEqual(['quiet', 'noisy', 'quiet', 'noisy', 'quiet', 'noisy']);
  expect(shedder).toMatchObject({ inFlight: 0, waiting: 0 });
});

test('the load shedder alternates between callers with an API key and callers without one, even if requests of a thousand networks wait', () => {
  const shedder = open({ maxInFlight: 1 });
  for (let i = 0; i < 1_000; i += 1) enter(shedder, 1, `network ${i}`);
  enter(shedder, 3, 'customer');
  const order: (string | undefined)[] = [];
  for (let i = 0; i < 8; i += 1) {
    answer(1);
    order.push(started[0]?.caller.split(' ')[0]);
  }
  expect(order.filter((caller) => caller === 'customer')).toHaveLength(3);
  expect(order.slice(0, 6).filter((caller) => caller === 'customer')).toHaveLength(3);
  expect(order.slice(6)).toEqual(['network', 'network']);
});

test('when the wait queue is full, the load shedder refuses a request of the larger group: requests with an API key or requests without one', () => {
  const shedder = open({ maxInFlight: 1, maxWaiting: 10 });
  for (let i = 0; i < 11; i += 1) enter(shedder, 1, `network ${i}`);
  enter(shedder, 4, 'customer');
  expect(refused.map(({ caller }) => caller)).toEqual([1, 2, 3, 4].map((i) => `network ${i}`));
  enter(shedder, 1, 'network 99');
  expect(refused.at(-1)?.caller).toBe('network 5');
  enter(shedder, 2, 'customer');
  expect(refused.slice(5).map(({ caller }) => caller)).toEqual(['network 6', 'customer']);
});

test('the load shedder refuses a request of the caller that has the most waiting requests when the wait queue is full', () => {
  const shedder = open({ maxInFlight: 1, maxWaiting: 10 });
  enter(shedder, 11, 'noisy');
  expect(refused).toEqual([]);
  enter(shedder, 3, 'quiet');
  expect(refused.map(({ caller }) => caller)).toEqual(['noisy', 'noisy', 'noisy']);
  enter(shedder, 1, 'noisy');
  expect(refused.map(({ caller }) => caller)).toEqual(['noisy', 'noisy', 'noisy', 'noisy']);
  expect(shedder).toMatchObject({ inFlight: 1, waiting: 10 });
});

test('when a slot becomes free, the load shedder starts the only request of one caller before the many overdue requests of another caller', async () => {
  const shedder = open({ maxInFlight: 1 });
  enter(shedder, 20, 'noisy');
  await clock.advance(240);
  enter(shedder, 1, 'quiet');
  await clock.advance(20);
  answer(1);
  expect(started.map(({ caller }) => caller)).toEqual(['quiet']);
});

test('the load shedder starts or refuses every request exactly once, whatever the order of events is', async () => {
  const shedder = open({ maxInFlight: 3, maxWaiting: 20 });
  let [sent, seed] = [0, 1];
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const done = new Set<TestRequest>();
  for (let step = 0; step < 2_000; step += 1) {
    const count = random(4);
    enter(shedder, count, `caller ${random(5)}`);
    sent += count;
    if (random(3) > 0) {
      for (const request of started.slice(0, 1)) done.add(request);
      answer(1);
    }
    await clock.advance(random(30));
    runIteration();
  }
  while (shedder.inFlight + shedder.waiting > 0) {
    for (const request of started) done.add(request);
    answer(started.length);
    await clock.advance(100);
    runIteration();
  }
  expect(new Set(refused).size).toBe(refused.length);
  expect(refused.filter((request) => done.has(request))).toEqual([]);
  expect(done.size + refused.length).toBe(sent);
  expect(clock.timerCount()).toBe(0);
});

test('the load shedder starts at most 64 requests in one iteration of the event loop', () => {
  const shedder = open();
  for (let i = 0; i < 64; i += 1) {
    enter(shedder, 1);
    started.shift()?.locals.onAnswered?.();
  }
  enter(shedder, 300);
  expect([started.length, shedder.waiting]).toEqual([0, 300]);
  runIteration();
  expect(started.length).toBe(64);
});

// RFC 8290, §4.2, contains the rule that this test checks. Without the rule, a caller that sends
// one request after the other would count as a new caller each time. The caller with a backlog
// would then never be served.
test('the load shedder alternates between a caller with a backlog and callers that send one request after the other', () => {
  const shedder = open({ maxInFlight: 1 });
  enter(shedder, 4, 'busy');
  const order: string[] = [];
  for (let i = 0; i < 12; i += 1) {
    enter(shedder, 1, `sparse ${i % 3}`);
    answer(1);
    order.push(...started.map(({ caller }) => caller));
  }
  expect(order.filter((caller) => caller === 'busy').length).toBe(3);
});

const pausedOf = (requests: readonly TestRequest[]) =>
  requests.filter(({ req }) => req.socket.isPaused).length;

test('while 64 or more requests wait in total, the load shedder stops reading from the connections of callers that have several of these requests', () => {
  const shedder = open({ maxInFlight: 1 });
  enter(shedder, 1, 'quiet');
  enter(shedder, 66, 'noisy');
  const [quiet] = started;
  answer(1);
  expect(quiet?.req.socket.isPaused).toBe(false);
  const [noisy] = started;
  answer(1);
  expect(noisy?.req.socket.isPaused).toBe(true);
  expect(shedder.waiting).toBe(64);
});

test.each([
  ['keeps reading from', 'fewer', 41, false],
  ['pauses', 'not fewer', 64, true],
])(
  'the load shedder %s the connection of a caller that has %s waiting requests than the average caller',
  (_does, _than, waiting, isPaused) => {
    const shedder = open({ maxInFlight: 1 });
    enter(shedder, 1 + waiting, 'quiet');
    enter(shedder, 64, 'noisy');
    const [first] = started;
    answer(1);
    expect(first).toMatchObject({ caller: 'quiet', req: { socket: { isPaused } } });
  },
);

test('the load shedder pauses the connections of networks that sent only one request if 64 requests without an API key wait', () => {
  const shedder = open({ maxInFlight: 3 });
  for (let i = 0; i < 70; i += 1) enter(shedder, 1, `network ${i}`);
  enter(shedder, 1, 'customer');
  const all = [...started];
  answer(2);
  expect(pausedOf(all)).toBe(2);
});

test('the load shedder keeps reading from all connections while fewer than 64 requests wait in total', () => {
  const shedder = open({ maxInFlight: 1 });
  enter(shedder, 64, 'noisy');
  const all = [...started];
  answer(1);
  expect(pausedOf(all)).toBe(0);
});

test('the load shedder resumes reading from one paused connection of each caller when the wait queue has room again', () => {
  const shedder = open({ maxInFlight: 4 });
  enter(shedder, 3, 'first');
  enter(shedder, 1, 'second');
  enter(shedder, 35, 'first');
  enter(shedder, 35, 'second');
  const firstOnes = started.slice(0, 4);
  const paused = () => firstOnes.map(({ req }) => req.socket.isPaused);
  // Four of the 74 requests are in flight, and the other 70 wait. Each `answer(4)` finishes four
  // requests, and four waiting requests start. So 66 requests wait after the first call, and 62
  // after the second one.
  answer(4);
  expect([shedder.waiting, paused()]).toEqual([66, [true, true, true, true]]);
  answer(4);
  expect([shedder.waiting, paused()]).toEqual([62, [false, true, true, false]]);
});

test('the load shedder resumes reading from a paused connection after 1 s, even if no request has finished', async () => {
  const shedder = open({ maxInFlight: 1, maxWaitMs: 5_000 });
  enter(shedder, 100, 'noisy');
  const [first] = started;
  answer(1);
  expect(first?.req.socket.isPaused).toBe(true);
  await clock.advance(999);
  runIteration();
  expect(first?.req.socket.isPaused).toBe(true);
  await clock.advance(1);
  runIteration();
  expect(first?.req.socket.isPaused).toBe(false);
});

test('the load shedder does not resume a paused connection after the connection has closed', async () => {
  const shedder = open({ maxInFlight: 1, maxWaitMs: 5_000 });
  enter(shedder, 100, 'noisy');
  const [first] = started;
  answer(1);
  if (first) first.req.socket.destroyed = true;
  await clock.advance(1_000);
  runIteration();
  expect(first?.req.socket.isPaused).toBe(true);
});
