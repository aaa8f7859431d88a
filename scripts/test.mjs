// Runs lint, type checks and builds through turbo, which repeats only what has changed, and then all tests but
// campaigns. The last line is the total: `N passed, N failed`.
//
// With `--ci`, for `.ci/run`, also those that need more programs: the quick steps of deploy/, and the journeys in
// a browser. Tests and files run in a random order, whose seed is printed. A file that failed runs once more by
// itself, in the same order. If it passes then, it is no failure, and the lines before the total name its tests.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const reports = join(root, 'reports');
const isCi = process.argv.includes('--ci');
const seed = Math.floor(Math.random() * 1e6);
const order = isCi ? ['--sequence.shuffle', `--sequence.seed=${seed}`] : [];

const total = { passed: 0, failed: 0 };
const flaky = [];

rmSync(reports, { recursive: true, force: true });
mkdirSync(reports);
const turbo = ['--env-file=scripts/turbo.env', 'node_modules/turbo/bin/turbo'];
const tasks = ['run', 'check', 'typecheck', 'build', '--continue=dependencies-successful'];
succeeds('lint, type checks and builds', process.execPath, [...turbo, ...tasks]);
runTests('tests', ['--project=!browser', ...order]);
if (isCi) {
  testDeploy('rules kubernetes dashboards load-balancer compatibility pooler backup'.split(' '));
  runTests('browser', ['--project=browser', ...order]);
  console.log(`\nThe seed of the order was ${seed}.`);
}
for (const line of flaky) console.log(line);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;

function run(command, args, { env = {}, stdout = 'inherit' } = {}) {
  const isWindows = process.platform === 'win32';
  // First on the PATH is the Node that the workspace pins.
  const PATH = join(root, 'node_modules', '.bin') + delimiter + process.env.PATH;
  const options = {
    cwd: root,
    stdio: ['ignore', stdout, 'inherit'],
    maxBuffer: 2 ** 28,
    env: { ...process.env, PATH, ...env },
  };
  // As in `scripts/install.mjs`.
  return isWindows
    ? spawnSync([command, ...args].join(' '), { ...options, shell: true })
    : spawnSync(command, args, options);
}

/** Something that is no test, but may fail. */
function succeeds(name, command, args) {
  if (run(command, args).status === 0) return;
  console.error(`${name} failed`);
  total.failed += 1;
}

/** The steps that need no container. Those of the image and Compose build on a registry. */
function testDeploy(steps) {
  const { stdout } = run('npm', ['run', '--silent', 'test:deploy', '--', ...steps], {
    stdout: 'pipe',
  });
  process.stdout.write(stdout);
  const [, passed] = /^(\d+) passed, \d+ failed.*\s*$/m.exec(String(stdout)) ?? [];
  total.passed += Number(passed ?? 0);
  total.failed += steps.length - Number(passed ?? 0);
}

function runTests(name, args) {
  const { files, others } = readRun(name, args);
  for (const first of files) {
    const again =
      isCi &&
      first.failed > 0 &&
      readRun('again', ['--project', first.project, first.file, ...order]);
    const hasPassed = again && again.files[0]?.failed === 0 && again.others === 0;
    total.passed += hasPassed ? again.files[0].passed : first.passed;
    total.failed += hasPassed ? 0 : first.failed;
    const tests = first.failedTests.length > 0 ? first.failedTests : ['outside its tests'];
    if (hasPassed) {
      for (const test of tests) flaky.push(`flaky: ${relative(root, first.file)} › ${test}`);
    }
  }
  total.failed += others;
}

/** Runs vitest, and reads what `test-total-reporter.ts` has written. */
function readRun(name, args) {
  const report = join(reports, `${name}.json`);
  rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=./scripts/test-total-reporter.ts'];
  const { status } = run('vitest', ['run', ...reporters, ...args], { env: { TEST_TOTAL: report } });
  if (!existsSync(report)) return { files: [], others: 1 };
  const { files, others } = JSON.parse(readFileSync(report, 'utf8'));
  const isExplained = status === 0 || others + files.some(({ failed }) => failed > 0) > 0;
  return { files, others: isExplained ? others : 1 };
}
