import { expect, test, vi } from 'vitest';
import { createCall, type Result } from './call-promise.ts';

test('a call is a promise of its data, and of its answer', async () => {
  const response = new Response();
  const result: Result<string> = { data: 'Mia', response, requestId: 'r-1', rateLimit: undefined };
  const call = createCall(Promise.resolve(result));
  expect(call).toBeInstanceOf(Promise);
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
