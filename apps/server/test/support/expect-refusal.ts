import { StartupError } from '@animal-store/runtime';
import { expect } from 'vitest';

/**
 * Expects that opening the service fails with the error that the server would print. No process is
 * started, because starting it would take most of the time.
 */
export async function expectStartupError(opening: Promise<unknown>, line: RegExp): Promise<void> {
  const error = await opening.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartupError);
  const { message } = error as StartupError;
  expect(message).toMatch(line);
  expect(message).not.toMatch(/\n|hunter2/);
}
