import { writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

/** Writes what `scripts/test.mjs` adds up, and which files it repeats. */
// biome-ignore lint/style/noDefaultExport: vitest loads it by its path
export default class TotalReporter implements Reporter {
  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (modules, unhandledErrors, reason) => {
    const attributed = new Set<unknown>();
    const files = modules.map((module) => {
      const tests = [...module.children.allTests()];
      // A test that did not run did not pass: nothing is skipped silently.
      const unpassed = tests.filter((test) => test.result().state !== 'passed');
      const unhandled = unhandledErrors.filter(
        (error) => belongsTo(module.moduleId, error) && !attributed.has(error),
      );
      for (const error of unhandled) attributed.add(error);
      return {
        project: module.project.name,
        file: module.moduleId,
        passed: tests.length - unpassed.length,
        failed: unpassed.length + module.errors().length + unhandled.length,
        failedTests: unpassed.map((test) => test.fullName),
      };
    });
    // An error of no file, or a signal, after which vitest ends with exit code 0.
    const ownerless = unhandledErrors.length - attributed.size;
    const others = ownerless + Number(reason === 'interrupted');
    writeFileSync(process.env['TEST_TOTAL'] ?? '', JSON.stringify({ files, others }));
  };
}

interface UnhandledError {
  readonly message?: string;
  readonly cause?: unknown;
  readonly VITEST_TEST_PATH?: unknown;
}

/** Whether this file ran when nobody handled an error, or its process ended: then only the message names it. */
function belongsTo(
  file: string,
  { message, cause, VITEST_TEST_PATH: origin }: UnhandledError,
): boolean {
  if (origin !== undefined) return origin === file;
  return message?.includes(file) === true || (isError(cause) && belongsTo(file, cause));
}

function isError(cause: unknown): cause is UnhandledError {
  return typeof cause === 'object' && cause !== null;
}
