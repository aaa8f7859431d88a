import { EventEmitter } from 'node:events';
import { createTestClock, type TestClock } from '@animal-store/runtime/test-clock';
import type { Request, RequestHandler, Response } from 'express';
import { beforeEach, expect, test } from 'vitest';
import { paceRequests } from './pace-requests.ts';

let clock: TestClock;
/** The names of the requests in the order in which they have started. */
let started: string[];
let pace: RequestHandler;

beforeEach(() => {
  clock = createTestClock();
  started = [];
  // At 8 requests per second, `paceRequests` saves up two starts, because it saves the starts of a
  // quarter of a second. So two requests may start at the same time.
  pace = paceRequests({ perSecond: 8, clock });
});

/**
 * Simulates the arrival of a request from a network. `name` identifies the request in `started`.
 */
function arrive(name: string, ip = '192.0.2.1') {
  const request = Object.assign(new EventEmitter(), { ip });
  const res = { locals: {} as Express.Locals };
  pace(request as unknown as Request, res as Response, () => started.push(name));
  return Object.assign(request, { locals: res.locals });
}

// Regression: 64 clients that sent health checks or admin requests in a loop made the median
// response time of callers three to twelve times as long.
test('paceRequests starts two requests immediately, and later requests no faster than the limit per second allows', async () => {
  for (const name of ['a', 'b', 'c', 'd']) arrive(name);
  expect(started).toEqual(['a', 'b']);
  await clock.advance(124);
  expect(started).toEqual(['a', 'b']);
  await clock.advance(1);
  expect(started).toEqual(['a', 'b', 'c']);
  await clock.advance(125);
  expect(started).toEqual(['a', 'b', 'c', 'd']);
  expect(clock.timerCount()).toBe(0);
});

test('paceRequests lets only two requests start immediately, even after a minute without requests', async () => {
  await clock.advance(60_000);
  for (const name of ['a', 'b', 'c']) arrive(name);
  expect(started).toEqual(['a', 'b']);
});

test('after the event loop was blocked, paceRequests starts all requests that became due in the meantime', async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e']) arrive(name);
  clock.block(250);
  await clock.advance(0);
  expect(started).toEqual(['a', 'b', 'c', 'd']);
});

test('paceRequests starts a request of a new network before the waiting requests of another network', async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e']) arrive(name);
  await clock.advance(125);
  arrive('health check', '192.0.2.2');
  await clock.advance(250);
  expect(started).toEqual(['a', 'b', 'c', 'health check', 'd']);
});

test('paceRequests skips a request whose client has disconnected, and starts the next request instead', async () => {
  for (const name of ['a', 'b']) arrive(name);
  const closing = arrive('c');
  arrive('d');
  closing.emit('close');
  await clock.advance(125);
  expect(started).toEqual(['a', 'b', 'd']);
  expect(clock.timerCount()).toBe(0);
});

test('paceRequests records how long a request has waited, until it starts or its client disconnects', async () => {
  const [atOnce, , next, closing] = ['a', 'b', 'c', 'd'].map((name) => arrive(name));
  await clock.advance(100);
  expect(closing?.locals.pace?.waitedMs).toBe(100);
  closing?.emit('close');
  await clock.advance(1_000);
  expect(next?.locals.pace?.waitedMs).toBe(125);
  expect(atOnce?.locals.pace).toBeUndefined();
});
