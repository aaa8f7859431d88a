import { writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

/** Writes what `scripts/test.mjs` adds up, and which files it repeats. */
// biome-ignore lint/style/noDefaultExport: vitest loads it by its path
export default class TotalReporter implements Reporter {
  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (modules, unhandledErrors, reason) => {
    const files = modules.map((module) => {
      const tests = [...module.children.allTests()];
      // A test that did not run did not pass: nothing is skipped silently.
      const unpassed = tests.filter((test) => test.result().state !== 'passed');
      return {
        project: module.project.name,
        file: module.moduleId,
        passed: tests.length - unpassed.length,
        failed: unpassed.length + module.errors().length,
        failedTests: unpassed.map((test) => test.fullName),
      };
    });
    // An error outside a file, or a signal, after which vitest ends with exit code 0.
    const others = unhandledErrors.length + Number(reason === 'interrupted');
    writeFileSync(process.env['TEST_TOTAL'] ?? '', JSON.stringify({ files, others }));
  };
}
