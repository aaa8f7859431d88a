import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { waitFor } from './wait.ts';

test('any number of waits share one listener of a signal, and leave none', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = () => getEventListeners(signal, 'abort').length;
  let endFirst = () => {};
  const first = waitFor(60_000, signal, (end) => {
    endFirst = end;
  });
  const others = Array.from({ length: 20 }, () => waitFor(60_000, signal));
  expect(listeners()).toBe(1);
  endFirst();
  await first;
  expect(listeners()).toBe(1);
  controller.abort();
  await Promise.all(others);
  expect(listeners()).toBe(0);
});
