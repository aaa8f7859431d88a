import { expect, test, vi } from 'vitest';
import { createCall } from './call-promise.ts';

test('a failed call causes no unhandled rejection, whether the caller awaits the call or withResponse()', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  const failure = new Error('it failed');
  const answer = Promise.reject(failure);
  await expect(createCall(answer).withResponse()).rejects.toBe(failure);
  await expect(createCall(answer)).rejects.toBe(failure);
  // Node reports unhandled rejections after all microtasks have run. The test waits for
  // `setImmediate`, whose callback runs after the report.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});
