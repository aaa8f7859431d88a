import type { ServerRun } from '@animal-store/testkit';
import { expect } from 'vitest';

/** The server refused to start: one line on stderr and exit code 1, without a stack or a secret. */
export function expectRefusal({ code, stdout, stderr }: ServerRun, line: RegExp): void {
  expect(stderr).toMatch(line);
  expect(stderr).toMatch(/^[^\n]+\n$/);
  expect(stderr).not.toContain('    at ');
  expect(stderr).not.toContain('hunter2');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
}
