import { StartupError } from '@animal-store/runtime';
import { expect } from 'vitest';

/**
 * Expects that opening the service fails with the error that the server would print. The test opens
 * the service in its own process, because starting a server process would take most of the time.
 */
export async function expectStartupError(opening: Promise<unknown>, line: RegExp): Promise<void> {
  const error = await opening.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartupError);
  const { message } = error as StartupError;
  expect(message).toMatch(line);
  expect(message).not.toMatch(/\n|hunter2/);
}
