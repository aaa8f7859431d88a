import { mkdirSync, writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

/**
 * Writes `reports/test-total.json`: how many tests passed and failed, and which tests passed only
 * in the second attempt. `scripts/test.mjs` adds up these reports.
 */
// biome-ignore lint/style/noDefaultExport: vitest loads it by its path
export default class TotalReporter implements Reporter {
  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (modules, unhandledErrors, reason) => {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    // Tests that did not run count as failed, so that no test can be skipped without notice.
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const errors = modules.reduce((sum, module) => sum + module.errors().length, 0);
    // vitest exits with code 0 after a signal, so an interrupted run counts as a failure here.
    const others = unhandledErrors.length + errors + Number(reason === 'interrupted');
    const flaky = tests
      .filter((test) => test.diagnostic()?.flaky)
      .map((test) => `${test.module.relativeModuleId} › ${test.fullName}`);
    mkdirSync('reports', { recursive: true });
    const total = { passed, failed: tests.length - passed + others, flaky };
    writeFileSync('reports/test-total.json', JSON.stringify(total));
  };
}
