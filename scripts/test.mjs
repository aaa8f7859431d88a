// Runs lint, type checks, builds and tests through turbo, which repeats only what has changed. The last line is the
// total: `N passed, N failed`.
//
// With `--ci`, which `.ci/run` passes, it also runs the quick steps of deploy/ and the journeys in a browser. Files and
// tests then run in a random order, whose seed is printed. A failed test runs a second time. If it passes then, a line
// before the total names it.

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
// These tasks run before the tests, because turbo would pass the options of vitest to them, too.
check('lint, type checks and builds', [
  ...['run', 'lint', 'typecheck', 'build'],
  '--continue=dependencies-successful',
]);
// The boundaries are not a task of turbo, because turbo refuses to run itself.
check('boundaries', ['boundaries']);
test(['test', 'test:process']);
if (isCi) {
  testDeploy();
  forgetReports();
  test(['test:browser']);
  console.log(`\nThe seed of the order was ${seed}.`);
}
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;

/** Runs a step of turbo that contains no tests. A failure counts as one failed test. */
function check(name, args) {
  if (run(process.execPath, [...turbo, ...args]) === 0) return;
  console.error(`${name} failed`);
  total.failed += 1;
}

/** Runs test tasks, and adds up their reports. */
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
  // Vitest may exit before it writes a report. This counts as one failed test.
  total.failed += status === 0 || failed > 0 ? failed : 1;
}

/** Runs the deploy steps that need no container. The image and Compose steps need a registry. */
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

/** Removes the reports of an earlier run, so that an old report is not counted. */
function forgetReports() {
  for (const file of findReports()) rmSync(join(root, file));
}

function run(command, args) {
  return start(command, args).status;
}

function start(command, args, stdout = 'inherit') {
  // The PATH starts with the Node that the workspace pins.
  const PATH = join(root, 'node_modules', '.bin') + delimiter + process.env.PATH;
  const options = {
    cwd: root,
    stdio: ['ignore', stdout, 'inherit'],
    maxBuffer: 2 ** 28,
    env: { ...process.env, PATH },
  };
  // Windows needs a shell, as in `scripts/install.mjs`.
  return process.platform === 'win32'
    ? spawnSync([command, ...args].join(' '), { ...options, shell: true })
    : spawnSync(command, args, options);
}
