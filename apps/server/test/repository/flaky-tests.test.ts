import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from '@animal-store/testkit';
import { expect, test } from 'vitest';

// JavaScript without types, because `npm test` begins on the Node of whoever runs it.
const script = new URL('../../../../scripts/run-failed-files.mjs', import.meta.url);
const { readTotal, runFailedFiles } = await import(script.href);
const vitest = join(
  dirname(createRequire(import.meta.url).resolve('vitest/package.json')),
  'vitest.mjs',
);
const shared = new URL('../../../../vitest.shared.ts', import.meta.url);

const passing = `test('passes', () => {});`;
const failing = `test('fails', () => expect(1).toBe(2));`;
/** Its first run leaves a file. */
const failingOnce = `
  import { existsSync, writeFileSync } from 'node:fs';
  test('passes the second time', () => {
    const isSecond = existsSync('ran');
    writeFileSync('ran', '');
    expect(isSecond).toBe(true);
  });`;

/** The package of some test files, after its tests have run. */
async function runPackage(folder: string, tests: Readonly<Record<string, string>>) {
  await mkdir(folder);
  const files = {
    ...tests,
    'package.json': JSON.stringify({ scripts: { test: `${process.execPath} ${vitest} run` } }),
    'vitest.config.mts': `import { configureTests } from '${shared.href}';
      export default configureTests('tried', { globals: true, maxWorkers: 1 });`,
  };
  for (const [name, source] of Object.entries(files)) await writeFile(join(folder, name), source);
  // biome-ignore lint/style/noProcessEnv: npm and vitest look for programs where this machine has them
  const env = { PATH: process.env['PATH'], TURBO_HASH: 'inputs' };
  spawnSync(process.execPath, [vitest, 'run'], { cwd: folder, env });
  return { folder, script: 'test', hash: 'inputs' };
}

test('a file that failed runs once more, and is flaky if it passes then, but nothing runs again after a crash', async () => {
  await using directory = await temporaryDirectory();
  const task = await runPackage(join(directory.path, 'a'), {
    'a.test.ts': passing,
    'b.test.ts': failing,
    'c.test.ts': failingOnce + passing,
  });
  const total = readTotal(task);
  expect(total).toMatchObject({ passed: 2, failed: 2 });
  expect(runFailedFiles({ ...task, total, stdio: 'ignore' })).toEqual({
    passed: 3,
    failed: 1,
    flaky: ['c.test.ts › passes the second time'],
  });

  const crashing = await runPackage(join(directory.path, 'b'), {
    'a.test.ts': failingOnce,
    'b.test.ts': `test('crashes', () => process.kill(process.pid, 'SIGKILL'));`,
  });
  const crashed = readTotal(crashing);
  expect(runFailedFiles({ ...crashing, total: crashed, stdio: 'ignore' })).toMatchObject({
    failed: crashed.failed,
    flaky: [],
  });
});
