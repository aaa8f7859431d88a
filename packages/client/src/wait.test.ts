import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { waitFor } from './wait.ts';

// All waits must share one listener, because Node warns of a memory leak if a signal has more than
// ten listeners.
test('waitFor adds a single abort listener to a signal for all waits, and removes the listener after the last wait', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = () => getEventListeners(signal, 'abort').length;
  const first = waitFor(60_000, signal, (end) => queueMicrotask(end));
  const others = Array.from({ length: 20 }, () => waitFor(60_000, signal));
  await first;
  expect(listeners()).toBe(1);
  controller.abort();
  await Promise.all(others);
  expect(listeners()).toBe(0);
});
