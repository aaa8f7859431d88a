import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@animal-store/testkit';
import { expect, test } from 'vitest';

const script = new URL('../../../../scripts/test.mjs', import.meta.url);

/** Runs the script with a vitest that reports what is given for each file, time after time. */
async function runWith(runs: Readonly<Record<string, readonly number[]>>, args: string[]) {
  await using root = await temporaryDirectory();
  const write = async (path: string, source: string) => {
    await mkdir(join(root.path, path, '..'), { recursive: true });
    await writeFile(join(root.path, path), source, { mode: 0o755 });
  };
  await mkdir(join(root.path, 'scripts'));
  await cp(script, join(root.path, 'scripts/test.mjs'));
  await write('scripts/turbo.env', '');
  await write('node_modules/turbo/bin/turbo', '');
  await write('node_modules/.bin/npm', '#!/bin/sh\necho 7 passed, 0 failed, 0 skipped');
  const vitest = `#!${process.execPath}
    const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
    const runs = ${JSON.stringify(runs)};
    const asked = Object.keys(runs).filter((file) => process.argv.some((argument) => argument.endsWith('/' + file)));
    const isBrowser = process.argv.includes('--project=browser');
    const files = (asked.length > 0 ? asked : isBrowser ? [] : Object.keys(runs)).map((file) => {
      appendFileSync(file, '.');
      const failed = runs[file][readFileSync(file).length - 1];
      return { project: 'p', file: process.cwd() + '/' + file, passed: 3 - failed, failed, failedTests: ['fails'].slice(0, failed) };
    });
    appendFileSync('orders', process.argv.filter((argument) => argument.startsWith('--sequence')).join() + ' ');
    writeFileSync(process.env.TEST_TOTAL, JSON.stringify({ files, others: 0 }));
    process.exitCode = files.some(({ failed }) => failed > 0) ? 1 : 0;`;
  await write('node_modules/.bin/vitest', vitest);
  const options = { cwd: root.path };
  const run = promisify(execFile)(process.execPath, ['scripts/test.mjs', ...args], options);
  const { stdout, code = 0 } = await run.catch((error) => error);
  // Also the one that runs a file again: otherwise a fault of the order would pass.
  const orders = await readFile(join(root.path, 'orders'), 'utf8');
  expect(new Set(orders.trim().split(' ')).size).toBe(1);
  expect(orders.includes('--sequence.shuffle,--sequence.seed=')).toBe(args.includes('--ci'));
  return [code, ...stdout.match(/^flaky.*$|^\d+ passed, \d+ failed$/gm)];
}

test('in CI a file that failed runs once more, and is named as flaky if it passes then', async () => {
  const again = 'flaky: b.test.ts › fails';
  const flaky = { 'a.test.ts': [0], 'b.test.ts': [1, 0] };
  expect(await runWith(flaky, ['--ci'])).toEqual([0, again, '13 passed, 0 failed']);
  const broken = { ...flaky, 'c.test.ts': [2, 1] };
  expect(await runWith(broken, ['--ci'])).toEqual([1, again, '14 passed, 2 failed']);
  expect(await runWith(flaky, [])).toEqual([1, '5 passed, 1 failed']);
});
