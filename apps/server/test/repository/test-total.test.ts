import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '@animal-store/testkit';
import { describe, expect, inject, test } from 'vitest';

// What scripts/test-total-reporter.ts tells scripts/test.mjs, and turbo by the exit code.

const vitest = join(
  dirname(createRequire(import.meta.url).resolve('vitest/package.json')),
  'vitest.mjs',
);
const shared = new URL('../../../../vitest.shared.ts', import.meta.url);
// As servers of the testkit: half of a run is the compilation of vitest.
const NODE_COMPILE_CACHE = fileURLToPath(
  new URL('../../../../node_modules/.cache/node', import.meta.url),
);

/** Runs tests in a process of its own; `onOutput` is called with all of its output so far. */
async function runTests(
  tests: Readonly<Record<string, string>>,
  options: {
    args?: readonly string[];
    /** The hash of the inputs, from turbo; '' without turbo. */
    turboHash?: string;
    onOutput?: (output: string, child: ChildProcess) => void;
  } = {},
) {
  await using directory = await temporaryDirectory();
  const root = directory.path;
  await writeFile(
    join(root, 'vitest.config.mts'),
    `import { configureTests } from ${JSON.stringify(shared.href)};
     export default configureTests('tried', { globals: true });`,
  );
  for (const [name, source] of Object.entries(tests)) await writeFile(join(root, name), source);
  const { args = [], turboHash = 'inputs', onOutput } = options;
  // One worker, because a process for each of these small files takes longer than the file.
  const vitestArgs = [vitest, 'run', '--root', root, '--maxWorkers=1', ...args];
  const child = spawn(process.execPath, vitestArgs, {
    env: {
      // biome-ignore lint/style/noProcessEnv: vitest looks for programs where this machine has them
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE,
      ...(turboHash !== '' && { TURBO_HASH: turboHash }),
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text;
      onOutput?.(output, child);
    });
  }
  const [exitCode] = await once(child, 'close');
  const folder = join(root, 'reports', 'test');
  const [file] = existsSync(folder) ? readdirSync(folder) : [];
  if (file === undefined) return { exitCode, total: undefined };
  expect(file).toBe(`${turboHash}.json`);
  return { exitCode, total: JSON.parse(readFileSync(join(folder, file), 'utf8')) };
}

const passing = `test('passes', () => {});`;
const failing = `test('fails', () => expect(1).toBe(2));`;

test('a run that passes is a success with its number of tests', async () => {
  expect(await runTests({ 'a.test.ts': passing, 'b.test.ts': passing })).toEqual({
    exitCode: 0,
    total: { passed: 2, failed: 0 },
  });
});

// Together, because each run starts vitest. Alone, most of them have vitest's own exit code.
test('a test that fails, is skipped or is to be written, and a file that does not load, are failures', async () => {
  const tests = {
    'a.test.ts': passing,
    'b.test.ts': failing,
    'c.test.ts': `import './nowhere.ts';`,
    'd.test.ts': `test.skip('is skipped', () => {});`,
    'e.test.ts': `test.todo('is to be written');`,
  };
  expect(await runTests(tests)).toEqual({ exitCode: 1, total: { passed: 1, failed: 4 } });
});

test('a test that is skipped is a failure of a run that vitest takes for a success', async () => {
  const tests = { 'a.test.ts': passing, 'b.test.ts': `test.skip('is skipped', () => {});` };
  expect(await runTests(tests)).toEqual({ exitCode: 1, total: { passed: 1, failed: 1 } });
});

describe('a run that is interrupted is a failure', () => {
  const hanging = `test('hangs', () => { console.log('hanging'); return new Promise(() => {}); });`;

  const signalsOfThisRun = [inject('isHeavy') ? 'SIGTERM' : 'SIGINT'] as const;

  test.each(signalsOfThisRun)('by %s', async (signal) => {
    const { exitCode, total } = await runTests(
      { 'a.test.ts': passing, 'b.test.ts': hanging },
      { onOutput: (output, child) => output.includes('hanging') && child.kill(signal) },
    );
    // `null` if the signal came before vitest listened to it: a shell makes a failure of that, too.
    expect(exitCode).not.toBe(0);
    // Nothing that a later run could take for a success.
    expect(total).toBeUndefined();
  });

  test('by vitest itself, which leaves files out', async () => {
    const result = await runTests({ 'a.test.ts': failing }, { args: ['--bail=1'] });
    // The failed test, and the interruption.
    expect(result).toEqual({ exitCode: 1, total: { passed: 0, failed: 2 } });
  });
});

test("a developer's run, without turbo, writes no total", async () => {
  const { exitCode, total } = await runTests({ 'a.test.ts': passing }, { turboHash: '' });
  expect({ exitCode, total }).toEqual({ exitCode: 0, total: undefined });
});
