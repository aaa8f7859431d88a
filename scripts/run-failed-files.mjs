import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where `test-total-reporter.ts` writes, by the script that runs the tests. */
export const reportFolders = { test: 'reports/test', 'test:heavy': 'reports/heavy' };

/**
 * Runs each test file that failed once more by itself, and counts that run instead of the first. Nothing is
 * repeated if something other than a test file failed, such as a worker that crashed.
 *
 * @param task a package's folder, the script that runs its tests, the hash of its inputs, and its total.
 * @param task.stdio where the output of the runs goes.
 * @returns the new total, and the tests that failed in a file that has passed now.
 */
export function runFailedFiles({ folder, script, hash, total, stdio = 'inherit' }) {
  const { failedFiles } = total;
  const failedInFiles = failedFiles.reduce((sum, file) => sum + file.failed, 0);
  const flaky = [];
  if (failedInFiles !== total.failed) return { ...total, flaky };
  let { passed, failed } = total;
  for (const first of failedFiles) {
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    spawnSync(npm, ['run', '--silent', script, '--', join(folder, first.file)], {
      cwd: folder,
      stdio,
      env: { ...process.env, TURBO_HASH: `${hash}-again` },
      shell: process.platform === 'win32',
    });
    const again = readTotal({ folder, script, hash: `${hash}-again` });
    if (!again?.passed || again.failed > 0) continue;
    passed += again.passed - first.passed;
    failed -= first.failed;
    flaky.push(...first.failedTests.map((test) => `${first.file} › ${test}`));
  }
  return { passed, failed, flaky };
}

/** The total of exactly this run: its file is named by the hash of the task's inputs. */
export function readTotal({ folder, script, hash }) {
  try {
    return JSON.parse(readFileSync(join(folder, reportFolders[script], `${hash}.json`), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
