import { defineConfig } from 'vitest/config';
import type { Reporter } from 'vitest/node';
import { maxWorkers } from './vitest.shared.ts';

/** Ends a run with one plain line of totals, for machines that look for one. */
const totals: Reporter = {
  onTestRunEnd(modules, unhandledErrors) {
    let passed = 0;
    // What fails outside a test, such as a file that does not load, fails the run all the same.
    let failed = unhandledErrors.length;
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        // A test that did not run did not pass: nothing is skipped silently.
        else failed += 1;
      }
    }
    process.once('exit', () => process.stdout.write(`\n${passed} passed, ${failed} failed\n`));
  },
};

export default defineConfig({
  test: {
    projects: ['packages/*', 'apps/*', 'apps/server/vitest.alone.config.ts'],
    reporters: ['default', totals],
    maxWorkers,
  },
});
