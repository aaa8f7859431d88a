import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts';
import { createBatcher } from './batch.ts';

// The same cases in every run.
fc.configureGlobal({ seed: 1 });

const options = {
  operation: 'a_test',
  system: 'postgresql',
  maxSize: 100,
  maxInFlight: 1,
  patienceMs: 50,
} as const;
const { patienceMs } = options;

let clock: TestClock;

/** A batcher whose batches the test answers by hand. */
function createTestBatcher(changes: { maxSize?: number; maxInFlight?: number } = {}) {
  const sent: { requests: readonly string[]; answer: PromiseWithResolvers<readonly Result[]> }[] =
    [];
  type Result = string | Promise<string>;
  const call = createBatcher<string, string>(
    (requests) => {
      const answer = Promise.withResolvers<readonly Result[]>();
      sent.push({ requests, answer });
      return answer.promise;
    },
    { ...options, clock, ...changes },
  );
  return {
    call,
    /** The requests of each batch so far. */
    batches: () => sent.map(({ requests }) => requests),
    /** Answers a batch, by default with its requests in capitals. */
    async answer(
      batch: number,
      results: readonly Result[] = sent[batch]?.requests.map((it) => it.toUpperCase()) ?? [],
    ) {
      sent[batch]?.answer.resolve(results);
      await settle();
    },
    async fail(batch: number, error: Error) {
      sent[batch]?.answer.reject(error);
      await settle();
    },
  };
}

/** Lets everything run that can: promises, and what waits for a turn without further requests. */
async function settle() {
  // A batch is collected for two turns.
  for (let turn = 0; turn < 6; turn++) await nextTurn();
}

/** Ends the turn of the event loop. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  clock = createTestClock();
});

describe('a batcher', () => {
  test('sends a lone request at once', async () => {
    const { call, batches, answer } = createTestBatcher();
    const result = call('a');
    expect(batches()).toEqual([['a']]);
    await answer(0);
    expect(await result).toBe('A');
  });

  test('sends the requests that arrive while a batch is in flight together, in order', async () => {
    const { call, batches, answer } = createTestBatcher();
    const results = ['a', 'b', 'c', 'd'].map(call);
    expect(batches()).toEqual([['a']]);
    await answer(0);
    expect(batches()).toEqual([['a'], ['b', 'c', 'd']]);
    await answer(1);
    expect(await Promise.all(results)).toEqual(['A', 'B', 'C', 'D']);
  });

  test('sends the requests of one turn together after a batch of several', async () => {
    const { call, batches, answer } = createTestBatcher();
    for (const request of 'abc') call(request);
    await answer(0);
    await answer(1);
    call('d');
    call('e');
    expect(batches()).toEqual([['a'], ['b', 'c']]);
    await settle();
    expect(batches()).toEqual([['a'], ['b', 'c'], ['d', 'e']]);
  });

  test('waits under load for a turn that brings no further request', async () => {
    const { call, batches, answer } = createTestBatcher();
    for (const request of 'abc') call(request);
    await answer(0);
    await answer(1);
    for (const request of 'defg') {
      call(request);
      expect(batches()).toHaveLength(2);
      await nextTurn();
    }
    await settle();
    expect(batches()).toEqual([['a'], ['b', 'c'], ['d', 'e', 'f', 'g']]);
  });

  test('sends a full batch under load although every turn brings a further request', async () => {
    const { call, batches, answer } = createTestBatcher({ maxSize: 3 });
    for (const request of 'abc') call(request);
    await answer(0);
    await answer(1);
    for (const request of 'defgh') {
      call(request);
      await nextTurn();
    }
    expect(batches()).toEqual([['a'], ['b', 'c'], ['d', 'e', 'f']]);
  });

  test('sends lone requests at once again after a batch of one', async () => {
    const { call, batches, answer } = createTestBatcher();
    for (const request of 'abc') call(request);
    await answer(0);
    await answer(1);
    call('d');
    await settle();
    await answer(2);
    call('e');
    expect(batches()).toEqual([['a'], ['b', 'c'], ['d'], ['e']]);
  });

  test('sends a request at once again after all batches were answered', async () => {
    const { call, batches, answer } = createTestBatcher();
    call('a');
    await answer(0);
    call('b');
    expect(batches()).toEqual([['a'], ['b']]);
  });

  test('sends at most maxSize requests in one batch', async () => {
    const { call, batches, answer } = createTestBatcher({ maxSize: 2 });
    for (const request of 'abcdef') call(request);
    await answer(0);
    await answer(1);
    await answer(2);
    expect(batches()).toEqual([['a'], ['b', 'c'], ['d', 'e'], ['f']]);
  });

  test('sends the next batch when those in flight take longer than patienceMs', async () => {
    const { call, batches, answer } = createTestBatcher();
    const slow = call('a');
    const next = call('b');
    await clock.advance(patienceMs - 1);
    expect(batches()).toEqual([['a']]);
    await clock.advance(1);
    expect(batches()).toEqual([['a'], ['b']]);
    await answer(1);
    expect(await next).toBe('B');
    await answer(0);
    expect(await slow).toBe('A');
  });

  test('a slow batch that is answered at last does not release requests a second time', async () => {
    const { call, batches, answer } = createTestBatcher();
    call('a');
    call('b');
    await clock.advance(patienceMs);
    call('c');
    await answer(0);
    expect(batches()).toEqual([['a'], ['b']]);
    await answer(1);
    expect(batches()).toEqual([['a'], ['b'], ['c']]);
  });

  test('leaves no timer behind', async () => {
    const { call, answer } = createTestBatcher();
    call('a');
    await answer(0);
    expect(clock.timerCount()).toBe(0);
  });

  test('sends a batch beside a slow one, if two may be in flight', async () => {
    const { call, batches, answer } = createTestBatcher({ maxInFlight: 2 });
    const slow = call('a');
    const next = call('b');
    call('c');
    call('d');
    expect(batches()).toEqual([['a'], ['b']]);
    await answer(1);
    expect(await next).toBe('B');
    expect(batches()).toEqual([['a'], ['b'], ['c', 'd']]);
    await answer(0);
    expect(await slow).toBe('A');
  });

  test('collects the requests of one turn under load although another batch is in flight', async () => {
    const { call, batches, answer } = createTestBatcher({ maxInFlight: 2 });
    for (const request of 'abcd') call(request);
    await answer(0);
    await answer(1);
    call('e');
    call('f');
    expect(batches()).toEqual([['a'], ['b'], ['c', 'd']]);
    await settle();
    expect(batches()).toEqual([['a'], ['b'], ['c', 'd'], ['e', 'f']]);
  });

  test('sends what did not fit into a full batch beside it', async () => {
    const { call, batches, answer } = createTestBatcher({ maxSize: 2, maxInFlight: 2 });
    for (const request of 'abcd') call(request);
    await answer(0);
    await answer(1);
    await answer(2);
    for (const request of 'efghi') call(request);
    await settle();
    expect(batches().slice(3)).toEqual([
      ['e', 'f'],
      ['g', 'h'],
    ]);
    await answer(3);
    expect(batches().slice(5)).toEqual([['i']]);
  });
});

describe('failures', () => {
  test('a result that is a rejected promise fails its own request only', async () => {
    const { call, answer } = createTestBatcher();
    call('first');
    const results = Promise.allSettled(['a', 'b', 'c'].map(call));
    await answer(0);
    await answer(1, ['A', Promise.reject(new Error('b is invalid')), Promise.resolve('C')]);
    expect(await results).toEqual([
      { status: 'fulfilled', value: 'A' },
      { status: 'rejected', reason: new Error('b is invalid') },
      { status: 'fulfilled', value: 'C' },
    ]);
  });

  test('a batch that fails as a whole fails its requests, and no others', async () => {
    const { call, fail, answer } = createTestBatcher();
    const first = Promise.allSettled([call('a')]);
    const rest = Promise.all(['b', 'c'].map(call));
    await fail(0, new Error('lost'));
    expect(await first).toEqual([{ status: 'rejected', reason: new Error('lost') }]);
    await answer(1);
    expect(await rest).toEqual(['B', 'C']);
  });

  test('a send that throws fails its requests, and the next batch is sent', async () => {
    const call = createBatcher<string, string>((requests) => {
      if (requests.includes('a')) throw new Error('thrown');
      return Promise.resolve(requests);
    }, options);
    const first = Promise.allSettled([call('a')]);
    const next = call('b');
    expect(await first).toEqual([{ status: 'rejected', reason: new Error('thrown') }]);
    expect(await next).toBe('b');
  });

  test('a batch with too few results fails', async () => {
    const { call, answer } = createTestBatcher();
    const result = Promise.allSettled([call('a')]);
    await answer(0, []);
    expect(await result).toEqual([
      { status: 'rejected', reason: new TypeError('A batch of 1 has 0 results.') },
    ]);
  });
});

test('a batch runs in the async context of no request', async () => {
  const request = new AsyncLocalStorage<string>();
  const contexts: (string | undefined)[] = [];
  const call = createBatcher<string, string>(async (requests) => {
    contexts.push(request.getStore());
    return requests;
  }, options);
  await Promise.all(['a', 'b', 'c'].map((name) => request.run(name, () => call(name))));
  expect(contexts).toEqual([undefined, undefined]);
});

test('each request is published in its own async context', async () => {
  const request = new AsyncLocalStorage<string>();
  const published: unknown[] = [];
  const { start } = tracingChannel('animal-store:batch');
  const record = (message: unknown) =>
    published.push([request.getStore(), { ...(message as object) }]);
  start.subscribe(record);
  try {
    const { call, answer } = createTestBatcher();
    const calls = ['a', 'b'].map((name) => request.run(name, () => call(name)));
    await answer(0);
    await answer(1);
    await Promise.all(calls);
  } finally {
    start.unsubscribe(record);
  }
  expect(published).toEqual([
    ['a', { operation: 'a_test', system: 'postgresql' }],
    ['b', { operation: 'a_test', system: 'postgresql' }],
  ]);
});

test('every request is in one batch, which was sent after the request arrived', async () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant('call' as const) },
      { weight: 2, arbitrary: fc.constant('answer' as const) },
      { weight: 1, arbitrary: fc.constant('fail' as const) },
      { weight: 1, arbitrary: fc.constant('settle' as const) },
      { weight: 1, arbitrary: fc.constant('patience' as const) },
    ),
    { maxLength: 60 },
  );
  const upToFour = fc.integer({ min: 1, max: 4 });
  await fc.assert(
    fc.asyncProperty(steps, upToFour, upToFour, async (script, maxSize, maxInFlight) => {
      const { call, batches, answer, fail } = createTestBatcher({ maxSize, maxInFlight });
      const calls: { sentBefore: number; outcome: Promise<unknown> }[] = [];
      let answered = 0;
      const failed = new Set<number>();
      for (const step of [...script, ...script.map(() => 'answer' as const)]) {
        if (step === 'call') {
          const sentBefore = batches().length;
          const outcome = call(String(calls.length)).catch((error: Error) => error.message);
          calls.push({ sentBefore, outcome });
        } else if (step === 'patience') {
          await clock.advance(patienceMs);
          await settle();
        } else if (step !== 'settle' && answered < batches().length) {
          if (step === 'fail') failed.add(answered);
          await (step === 'fail' ? fail(answered, new Error('failed')) : answer(answered));
          answered += 1;
        } else {
          await settle();
        }
      }
      expect(batches().flat()).toEqual(calls.map((_, index) => String(index)));
      for (const [index, { sentBefore, outcome }] of calls.entries()) {
        const batch = batches().findIndex((it) => it.includes(String(index)));
        expect(batch).toBeGreaterThanOrEqual(sentBefore);
        expect(await outcome).toBe(failed.has(batch) ? 'failed' : String(index));
      }
    }),
  );
});
