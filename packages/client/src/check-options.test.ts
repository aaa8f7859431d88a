import { expect, test, vi } from 'vitest';
import { settle, useFakeClock } from '../test/fake-clock.ts';
import { rejection } from '../test/rejection.ts';
import { ok, openStore } from '../test/scripted-fetch.ts';

useFakeClock();

const numbers = [
  ['timeoutMs', 1, [Number.NaN, -1, 0, '3', 1.5, true, Number.NEGATIVE_INFINITY]],
  ['maxRetries', 0, [Number.NaN, -1, '3', 1.5]],
  ['maxRetryAfterMs', 0, [Number.NaN, -1, '3', 1.5]],
] as const;
const mistakes = numbers.flatMap(([name, min, values]) =>
  values.map((value) => ({ name, min, value })),
);

test.each(mistakes)(
  'the client refuses the option $name with the value $value, and sends nothing',
  async (mistake) => {
    const { name, min, value } = mistake;
    const options = { [name]: value } as never;
    const error = new TypeError(
      `${name}: expected an integer from ${min}, got ${typeof value} ${value}`,
    );
    expect(() => openStore([ok], options)).toThrow(error);
    const { store, script } = openStore([ok]);
    expect(() => store.withOptions(options)).toThrow(error);
    // The type of a single call's options has no `maxRetryAfterMs`. Untyped code may still pass
    // this option, so the client checks its value.
    expect(await rejection(store.listPets({}, options))).toEqual(error);
    expect(script.requests).toEqual([]);
  },
);

test('the client accepts the smallest value and Infinity for each numeric option', async () => {
  const least = { timeoutMs: 1, maxRetries: 0, maxRetryAfterMs: 0 };
  const greatest = { timeoutMs: 1 / 0, maxRetries: 1 / 0, maxRetryAfterMs: 1 / 0 };
  for (const options of [least, greatest, { timeoutMs: undefined }]) {
    const { store } = openStore([ok], options);
    expect(await settle(store.listPets({}, options))).toMatchObject({ pets: [] });
  }
});

test.each([
  ['fetch', 'undici', 'function'],
  ['onRetry', true, 'function'],
  ['onWait', {}, 'function'],
  ['headers', 'X-Team: blue', 'object'],
  ['fetchOptions', 'no-store', 'object'],
  ['logger', () => {}, 'object'],
])(
  'the client refuses the option %s with the value %j, and the error names the expected type',
  (name, value, type) => {
    const error = new TypeError(`${name}: expected ${type}, got ${typeof value}`);
    expect(() => openStore([ok], { [name]: value } as never)).toThrow(error);
  },
);

test.each([
  ['a controller', new AbortController()],
  ['a text', 'abort'],
])('the client refuses %s as a signal, and leaves no timer', async (_name, signal) => {
  const { store, script } = openStore([ok]);
  expect(await rejection(store.listPets({}, { signal } as never))).toEqual(
    new TypeError('signal: expected an AbortSignal, such as controller.signal'),
  );
  expect(script.requests).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
