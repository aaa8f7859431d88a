// Runs lint, type checks, builds and tests through turbo, which repeats only what has changed.
// The last line is the total over all packages: `N passed, N failed`.
//
//   node scripts/test.mjs         what `npm test` runs
//   node scripts/test.mjs --all   that, the heavy tests, the mutation tests and the benchmark's check
//
// With `--all --without-mutation` the mutation tests are left out.
//
// With `--retry`, for `.ci/run`, a test file that failed runs once more by itself. If it passes then, it is no
// failure, and the lines before the total name it: `flaky: <file> › <test>`. With `--all` they also name those
// of the `npm test` before.

import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTotal, reportFolders, runFailedFiles } from './run-failed-files.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const summaries = join(root, '.turbo', 'runs');
const flakyTests = join(root, '.turbo', 'flaky-tests');
const all = process.argv.includes('--all');
const retry = process.argv.includes('--retry');
const tasks = ['check', 'typecheck', 'build', 'test'];
if (all) tasks.push('test:heavy');
if (all && !process.argv.includes('--without-mutation')) tasks.push('mutate');

rmSync(summaries, { recursive: true, force: true });
if (!all) rmSync(flakyTests, { force: true });
const tools = join(root, 'node_modules', '.bin');
const { status, signal, error } = spawnSync(
  process.execPath,
  [
    '--env-file=scripts/turbo.env',
    'node_modules/turbo/bin/turbo',
    ...['run', ...tasks, '--continue=dependencies-successful', '--summarize'],
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: tools + delimiter + process.env.PATH },
  },
);

let passed = 0;
let failed = 0;
/** Those that passed when they ran again. */
let flaky = 0;
for (const { taskId, task: script, directory, hash, execution } of readSummary()) {
  const succeeded = execution?.exitCode === 0;
  const task = { folder: join(root, directory), script, hash };
  let total = script in reportFolders ? readTotal(task) : { passed: 0, failed: 0 };
  // A failure without a failed test: a lint error, a crash, or a task that did not run.
  if (total === undefined || (!succeeded && total.failed === 0)) {
    console.error(`${taskId} ${succeeded ? 'left no total' : 'failed or did not run'}`);
    failed += 1;
  }
  if (retry && total?.failed > 0) {
    total = runFailedFiles({ ...task, total });
    flaky += total.flaky.length;
    for (const test of total.flaky) appendFileSync(flakyTests, `flaky: ${join(directory, test)}\n`);
  }
  passed += total?.passed ?? 0;
  failed += total?.failed ?? 0;
}
if (status !== 0 && failed + flaky === 0) {
  const reason = error?.message ?? (signal ? `signal ${signal}` : `exit code ${status}`);
  console.error(`Every task succeeded, but turbo ended with ${reason}.`);
  failed = 1;
}
// Last, and alone: other tests on the same processors would disturb what it measures.
if (all && !succeeds('bench:check')) {
  console.error('npm run bench:check failed');
  failed += 1;
}
console.log(`\n${retry ? readFlakyTests() : ''}${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function succeeds(script) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const shell = process.platform === 'win32';
  return (
    spawnSync(npm, ['run', '--silent', script], { cwd: root, stdio: 'inherit', shell }).status === 0
  );
}

/** The tasks of this run. Turbo also lists tasks that no script implements. */
function readSummary() {
  const [file] = readdirSync(summaries);
  const { tasks } = JSON.parse(readFileSync(join(summaries, file), 'utf8'));
  return tasks.filter(({ command }) => command !== '<NONEXISTENT>');
}

/** A line for each; empty if there is none. */
function readFlakyTests() {
  return existsSync(flakyTests) ? readFileSync(flakyTests, 'utf8') : '';
}
