import { StartupError } from '@animal-store/runtime';
import { expect } from 'vitest';

/** What the server would print and exit with, without a process: most of its time is its start. */
export async function expectStartupError(opening: Promise<unknown>, line: RegExp): Promise<void> {
  const error = await opening.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartupError);
  const { message } = error as StartupError;
  expect(message).toMatch(line);
  expect(message).not.toMatch(/\n|hunter2/);
}
