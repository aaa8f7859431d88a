// Runs lint, type checks, builds and tests through turbo, which repeats only what has changed.
// The last line is the total over all packages: `N passed, N failed`.
//
//   node scripts/test.mjs         what `npm test` runs
//   node scripts/test.mjs --all   that, the heavy tests, the mutation tests and the benchmark's check
//
// With `--all --without-mutation` the mutation tests are left out.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const summaries = join(root, '.turbo', 'runs');
const all = process.argv.includes('--all');
const tasks = ['check', 'typecheck', 'build', 'test'];
if (all) tasks.push('test:heavy');
if (all && !process.argv.includes('--without-mutation')) tasks.push('mutate');

rmSync(summaries, { recursive: true, force: true });
const tools = join(root, 'node_modules', '.bin');
const { status, signal, error } = spawnSync(
  join(tools, 'turbo'),
  ['run', ...tasks, '--continue=dependencies-successful', '--summarize'],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: tools + delimiter + process.env.PATH },
    shell: process.platform === 'win32',
  },
);

/** Where `test-total-reporter.ts` writes. */
const reportFolders = { test: 'reports/test', 'test:heavy': 'reports/heavy' };

let passed = 0;
let failed = 0;
for (const task of readSummary()) {
  const succeeded = task.execution?.exitCode === 0;
  const folder = reportFolders[task.task];
  const total = folder && readTotal(task, folder);
  passed += total?.passed ?? 0;
  failed += total?.failed ?? 0;
  // A failure without a failed test: a lint error, a crash, or a task that did not run.
  if ((!succeeded && !total?.failed) || (folder && total === undefined)) {
    console.error(`${task.taskId} ${succeeded ? 'left no total' : 'failed or did not run'}`);
    failed += 1;
  }
}
if (status !== 0 && failed === 0) {
  const reason = error?.message ?? (signal ? `signal ${signal}` : `exit code ${status}`);
  console.error(`Every task succeeded, but turbo ended with ${reason}.`);
  failed = 1;
}
// Last, and alone: other tests on the same processors would disturb what it measures.
if (all && !succeeds('bench:check')) {
  console.error('npm run bench:check failed');
  failed += 1;
}
console.log(`\n${passed} passed, ${failed} failed`);
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

/** The total of exactly this task: its file is named by the hash of the task's inputs. */
function readTotal({ directory, hash }, folder) {
  try {
    return JSON.parse(readFileSync(join(root, directory, folder, `${hash}.json`), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
