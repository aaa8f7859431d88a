import type { ServerRun } from '@animal-store/testkit';
import { expect } from 'vitest';
import { StartupError } from '../../src/shared/startup-error.ts';

/** The server refused to start: one line on stderr and exit code 1, without a stack or a secret. */
export function expectRefusal({ code, stdout, stderr }: ServerRun, line: RegExp): void {
  expect(stderr).toMatch(line);
  expect(stderr).toMatch(/^[^\n]+\n$/);
  expect(stderr).not.toContain('    at ');
  expect(stderr).not.toContain('hunter2');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
}

/** What the server would print and exit with, without a process: most of its time is its start. */
export async function expectStartupError(opening: Promise<unknown>, line: RegExp): Promise<void> {
  const error = await opening.then(
    () => 'it opened',
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StartupError);
  const { message } = error as StartupError;
  expect(message).toMatch(line);
  expect(message).not.toMatch(/\n|hunter2/);
}
