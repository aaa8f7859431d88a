import { expect } from 'vitest';

/** Returns the error that a promise rejects with. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('it must fail'),
    (error: unknown) => error,
  );
