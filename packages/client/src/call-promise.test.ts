import { expect, test, vi } from 'vitest';
import { createCall, type Result } from './call-promise.ts';

const result: Result<string> = {
  data: 'Mia',
  response: new Response(),
  requestId: 'r-1',
  rateLimit: undefined,
};

test('a call is a promise of its data', async () => {
  const call = createCall(Promise.resolve(result));
  expect(call).toBeInstanceOf(Promise);
  expect(await call).toBe('Mia');
});

test('and of its answer', async () => {
  const call = createCall(Promise.resolve(result));
  expect(await call.withResponse()).toBe(result);
  expect(await call).toBe('Mia');
});

test('a failure reaches whoever asks, and nobody else', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  const failure = new Error('it failed');
  const answer = Promise.reject(failure);
  await expect(createCall(answer).withResponse()).rejects.toBe(failure);
  await expect(createCall(answer)).rejects.toBe(failure);
  // Node looks for unhandled rejections when the microtasks are done.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});
