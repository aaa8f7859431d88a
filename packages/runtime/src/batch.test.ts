import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { createBatcher } from './batch.ts';
import { createTestClock } from './test-clock.ts';

const options = {
  operation: 'a_test',
  system: 'postgresql',
  maxSize: 100,
  maxInFlight: 1,
  patienceMs: 50,
} as const;
const { patienceMs } = options;

type Limits = { maxSize?: number; maxInFlight?: number };

/** Creates a batcher. The test decides when the batches that it has sent get their results. */
function createTestBatcher(limits: Limits = {}) {
  type Results = readonly (string | Promise<string>)[];
  const clock = createTestClock();
  const sent: { requests: readonly string[]; answer: PromiseWithResolvers<Results> }[] = [];
  const call = createBatcher<string, string>(
    (requests) => {
      const answer = Promise.withResolvers<Results>();
      sent.push({ requests, answer });
      return answer.promise;
    },
    { ...options, clock, ...limits },
  );
  return {
    call,
    clock,
    /** Returns the requests of each batch so far, such as `['a', 'bc']`. */
    batches: () => sent.map(({ requests }) => requests.join('')),
    async answer(batch: number, results: Results | Promise<Results> = []) {
      sent[batch]?.answer.resolve(results);
      await settle();
    },
  };
}

/** Waits until the batcher has nothing left to do before the next request or result arrives. */
async function settle() {
  // Six iterations of the event loop are enough, because a batch is collected for at most two
  // iterations.
  for (let turn = 0; turn < 6; turn++) await nextTurn();
}

/** Waits for the next iteration of the event loop. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Each script is a sequence of steps, one character each:
 * - a letter makes a request
 * - `.` waits for one iteration of the event loop
 * - `|` waits until the batcher has nothing left to do (`settle`)
 * - a digit lets the batch with this number succeed
 * - `~` waits until `patienceMs` has passed
 */
test.each<[title: string, script: string, batches: string, limits?: Limits]>([
  [
    'sends all requests that arrived during a batch in the next batch, in their order',
    'abcd0',
    'a bcd',
  ],
  [
    'sends the requests of one event loop iteration together after a batch of several requests',
    'abc01de|',
    'a bc de',
  ],
  [
    'waits under load for an event loop iteration in which no request arrives',
    'abc01d.e.f.g|',
    'a bc defg',
  ],
  [
    'sends a full batch immediately, even if a request arrives in each iteration',
    'abc01d.e.f.g.h.',
    'a bc def',
    { maxSize: 3 },
  ],
  ['sends single requests immediately again after a batch of one request', 'abc01d|2e', 'a bc d e'],
  ['sends a request immediately again when all batches have their results', 'a0b', 'a b'],
  ['sends at most maxSize requests in one batch', 'abcdef012', 'a bc de f', { maxSize: 2 }],
  ['sends the next batch when a batch takes longer than patienceMs', 'ab~', 'a b'],
  ['ignores the late result of a batch that took longer than patienceMs', 'ab~c0', 'a b'],
  ['sends a second batch while the first one is slow', 'abcd1', 'a b cd', { maxInFlight: 2 }],
  [
    'collects the requests of an iteration while another batch is in flight',
    'abcd01ef|',
    'a b cd ef',
    { maxInFlight: 2 },
  ],
  [
    'sends the requests that did not fit into a full batch in later batches',
    'abcd012efghi|3',
    'a b cd ef gh i',
    { maxSize: 2, maxInFlight: 2 },
  ],
])('the batcher combines requests into batches: it %s', async (_, script, batches, limits) => {
  const batcher = createTestBatcher(limits);
  for (const step of script) {
    if (step === '.') await nextTurn();
    else if (step === '|') await settle();
    else if (step === '~') await batcher.clock.advance(patienceMs);
    else if (/\d/.test(step)) await batcher.answer(Number(step));
    else batcher.call(step).catch(() => {});
  }
  expect(batcher.batches()).toEqual(batches.split(' '));
});

test('a batcher waits up to `patienceMs` for the result of a batch before it sends the next batch, and leaves no timer', async () => {
  const { call, clock, batches, answer } = createTestBatcher();
  const results = ['a', 'b'].map(call);
  await clock.advance(patienceMs - 1);
  expect(batches()).toEqual(['a']);
  await answer(0, ['A']);
  await answer(1, ['B']);
  expect(await Promise.all(results)).toEqual(['A', 'B']);
  expect(clock.timerCount()).toBe(0);
});

test('a batcher rejects only the request that has a rejected promise as its result', async () => {
  const { call, answer } = createTestBatcher();
  const results = Promise.allSettled(['first', 'a', 'b', 'c'].map(call));
  await answer(0, ['FIRST']);
  await answer(1, ['A', Promise.reject(new Error('b is invalid')), Promise.resolve('C')]);
  expect(await results).toEqual([
    { status: 'fulfilled', value: 'FIRST' },
    { status: 'fulfilled', value: 'A' },
    { status: 'rejected', reason: new Error('b is invalid') },
    { status: 'fulfilled', value: 'C' },
  ]);
});

test('a batcher rejects the requests of a batch that fails or has too few results, and sends the next batch', async () => {
  const { call, answer } = createTestBatcher({ maxSize: 2 });
  const results = Promise.allSettled(['a', 'b', 'c', 'd'].map(call));
  await answer(0, []);
  await answer(1, Promise.reject(new Error('away')));
  await answer(2, ['D']);
  const tooFew = new TypeError('expected 1 results for a batch of 1 requests, got 0');
  expect(await results).toEqual([
    { status: 'rejected', reason: tooFew },
    ...Array(2).fill({ status: 'rejected', reason: new Error('away') }),
    { status: 'fulfilled', value: 'D' },
  ]);
});

// `traces.test.ts` tests that each request appears in its own trace.
test('a batcher sends each batch outside the async contexts of the requests in the batch', async () => {
  const request = new AsyncLocalStorage<string>();
  const contexts: (string | undefined)[] = [];
  const call = createBatcher<string, string>(async (requests) => {
    contexts.push(request.getStore());
    return requests;
  }, options);
  await Promise.all(['a', 'b', 'c'].map((name) => request.run(name, () => call(name))));
  expect(contexts).toEqual([undefined, undefined]);
});
