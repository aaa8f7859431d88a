import { StartupError } from '@animal-store/runtime';
import { expect } from 'vitest';

/**
 * Expects the error that the server would print before it exits. No process is started, because its
 * start would take most of the time.
 */
export async function expectStartupError(opening: Promise<unknown>, line: RegExp): Promise<void> {
  const error = await opening.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartupError);
  const { message } = error as StartupError;
  expect(message).toMatch(line);
  expect(message).not.toMatch(/\n|hunter2/);
}
