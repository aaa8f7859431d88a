import { setImmediate as nextIteration } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createCallerQueues, type Queued } from './caller-queues.ts';

// `load-shedder.test.ts` tests the order in which requests are taken from the queues.

function createRequest(name: string): Queued {
  return { caller: { name, group: 'networks' }, isQueued: false };
}

// Regression: the queues of the ops listener kept every request of a flood in memory, even after
// the request had left its queue.
test('the caller queues release the memory of requests that have left the queues, even while other requests always wait', async () => {
  const queues = createCallerQueues<Queued>();
  const left: WeakRef<Queued>[] = [];
  queues.add(createRequest('a'));
  for (let i = 0; i < 1_000; i += 1) {
    queues.add(createRequest('a'));
    const next = queues.takeNext('oldest');
    if (next !== undefined) left.push(new WeakRef(next));
  }
  expect(queues.size).toBe(1);
  await nextIteration();
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  expect(left.filter((request) => request.deref() !== undefined).length).toBeLessThan(200);
});

test('the caller queues can remove a request from the middle of a queue, and ignore a second removal of the same request', () => {
  const queues = createCallerQueues<Queued>();
  const requests = ['a', 'a', 'a', 'b'].map(createRequest);
  for (const request of requests) queues.add(request);
  const [first, middle, last, other] = requests as [Queued, Queued, Queued, Queued];
  queues.remove(middle);
  queues.remove(middle);
  expect(queues.size).toBe(3);
  expect([1, 2, 3, 4].map(() => queues.takeNext('oldest'))).toEqual([
    first,
    other,
    last,
    undefined,
  ]);
  queues.remove(last);
  expect(queues.size).toBe(0);
});
