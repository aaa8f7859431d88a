import { expect } from 'vitest';

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const result = await promise.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  return (result ?? expect.unreachable('it must fail')).error;
}
