import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter } from 'vitest/node';

/**
 * Writes a package's totals to `reports/`, an output that turbo caches; `scripts/test.mjs` adds them up, and
 * `scripts/run-failed-files.mjs` repeats the files that failed.
 *
 * The file is named by the hash of the task's inputs, so a total of other inputs is never counted.
 */
export function createTotalReporter(): Reporter {
  let folder: string;
  return {
    onInit(vitest) {
      folder = join(
        vitest.config.root,
        'reports',
        vitest.config.mode === 'heavy' ? 'heavy' : 'test',
      );
    },
    onTestRunEnd(modules, unhandledErrors, reason) {
      const hash = process.env['TURBO_HASH'];
      // A developer's run of some tests.
      if (hash === undefined) return;
      let passed = 0;
      // An error outside a test, such as a file that does not load, fails the run too.
      let failed = unhandledErrors.length;
      // A signal ends vitest with exit code 0, and the files that did not run are not among the modules.
      if (reason === 'interrupted') failed += 1;
      const failedFiles = [];
      for (const module of modules) {
        const tests = [...module.children.allTests()];
        // A test that did not run did not pass: nothing is skipped silently.
        const passedHere = tests.filter((test) => test.result().state === 'passed').length;
        const failedHere = tests.length - passedHere + module.errors().length;
        passed += passedHere;
        failed += failedHere;
        if (failedHere === 0) continue;
        const failedTests = tests.filter((test) => test.result().state === 'failed');
        failedFiles.push({
          file: module.relativeModuleId,
          passed: passedHere,
          failed: failedHere,
          failedTests:
            failedTests.length === 0
              ? ['outside its tests']
              : failedTests.map((test) => test.fullName),
        });
      }
      // Against turbo's cache: an interrupted run must not be replayed as a success.
      if (failed > 0) process.exitCode = 1;
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${hash}.json`), JSON.stringify({ passed, failed, failedFiles }));
    },
  };
}
