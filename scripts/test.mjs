// Runs lint, type checks, builds and tests with turbo, which repeats only what has changed. The
// last line of the output is the total: `N passed, N failed`.
//
// The option `--ci`, which `.ci/run` passes, adds the quick steps of deploy/ and the browser tests.
// Files and tests then run in a random order, and the seed is printed. A failed test runs a second
// time. If it passes then, a line before the total names it as flaky.

import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isCi = process.argv.includes('--ci');
const seed = Math.floor(Math.random() * 1e6);
const vitestOptions = isCi ? ['--sequence.shuffle', `--sequence.seed=${seed}`, '--retry=1'] : [];
const turbo = ['--env-file=scripts/turbo.env', 'node_modules/turbo/bin/turbo'];
const steps =
  'rules kubernetes dashboards load-balancer compatibility pooler slowness backup'.split(' ');

const total = { passed: 0, failed: 0 };

forgetReports();
// `turbo boundaries` runs directly, because turbo refuses to run itself as a task.
check('boundaries', ['boundaries']);
// One turbo run for all tasks keeps both cores of a small machine busy: tests that wait leave CPU
// time for type checks. turbo passes the options of vitest only to tasks in this list, and not to
// the tasks that `checks` depends on.
test(['checks', 'test', 'test:process']);
if (isCi) {
  testDeploy();
  forgetReports();
  test(['test:browser']);
  console.log(`\nThe tests ran in a random order, with the seed ${seed}.`);
}
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;

/**
 * Runs a turbo command that contains no tests, such as the linters. If the command fails, the total
 * counts this as one failed test.
 */
function check(name, args) {
  if (run(process.execPath, [...turbo, ...args]) === 0) return;
  console.error(`${name} failed`);
  total.failed += 1;
}

/** Runs tasks of turbo, and adds up the reports of the tests in them. */
function test(tasks) {
  const status = run(process.execPath, [
    ...turbo,
    'run',
    ...tasks,
    '--continue',
    '--',
    ...vitestOptions,
  ]);
  const reports = findReports().map((file) => JSON.parse(readFileSync(join(root, file), 'utf8')));
  let failed = 0;
  for (const report of reports) {
    total.passed += report.passed;
    failed += report.failed;
    for (const name of report.flaky) console.log(`flaky: ${name}`);
  }
  // A failed check writes no report, and vitest may exit before it writes one. In both cases, one
  // failed test is counted.
  total.failed += status === 0 || failed > 0 ? failed : 1;
}

/**
 * Runs the deployment tests that need no containers. The other deployment tests need an image
 * registry.
 */
function testDeploy() {
  const { stdout } = start('npm', ['run', '--silent', 'test:deploy', '--', ...steps], 'pipe');
  process.stdout.write(stdout);
  const [, passed] = /^(\d+) passed, \d+ failed.*\s*$/m.exec(String(stdout)) ?? [];
  total.passed += Number(passed ?? 0);
  total.failed += steps.length - Number(passed ?? 0);
}

function findReports() {
  return globSync('{.,apps/*,packages/*}/reports/test-total.json', { cwd: root });
}

/** Removes the reports of earlier runs, so that they are not counted again. */
function forgetReports() {
  for (const file of findReports()) rmSync(join(root, file));
}

function run(command, args) {
  return start(command, args).status;
}

function start(command, args, stdout = 'inherit') {
  // The directory of the workspace's own Node comes first in the PATH, so that all programs use
  // this Node.
  const PATH = join(root, 'node_modules', '.bin') + delimiter + process.env.PATH;
  const options = {
    cwd: root,
    stdio: ['ignore', stdout, 'inherit'],
    maxBuffer: 2 ** 28,
    env: { ...process.env, PATH },
  };
  // Windows needs a shell to run a `.cmd` file, as in `scripts/install.mjs`.
  return process.platform === 'win32'
    ? spawnSync([command, ...args].join(' '), { ...options, shell: true })
    : spawnSync(command, args, options);
}
