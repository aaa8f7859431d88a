import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository, temporaryDirectory } from '@animal-store/testkit';
import { expect, test } from 'vitest';

/**
 * Writes a file and checks it like `npm run check`. Returns the problems without the path of the
 * file.
 */
async function lint(name: string, text: string) {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, name);
  writeFileSync(file, text);
  const script = join(repository, 'scripts/prose/lint-prose.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, file], { encoding: 'utf8' });
  const findings = stderr.split('\n').filter((line) => line.startsWith(file));
  return { status, findings: findings.map((line) => line.slice(file.length + 1)) };
}

const ellipsis = 'That of the contract.';
const long = `The store ${'counts each request of each key, and '.repeat(4)}stops.`;
const clean = 'The default page size from the contract.';

test('the prose linter finds forbidden words and long sentences in TypeScript and Markdown', async () => {
  const source = [
    `/** ${ellipsis} */`,
    `export const size = 20; // ${clean}`,
    '// The replica waits until the database goes',
    '// away.',
    "test('the size is that of the contract', () => {",
    '  throw new Error(`Size $' + '{size} is of no use.`);',
    '});',
    `/* ${long} */`,
  ].join('\n');
  const markdown = [`# Title`, '', `${clean} ${ellipsis}`, '', long].join('\n');
  const script = `#!/bin/sh\n# ${ellipsis}\necho "${clean}"`;
  const files = [lint('a.ts', source), lint('a.md', markdown), lint('a.sh', script)];
  expect(await Promise.all(files)).toEqual([
    {
      status: 1,
      findings: [
        expect.stringMatching(/^1:5 That of => the name of the thing/),
        expect.stringMatching(/^3:\d+ goes away => is down, or fails/),
        expect.stringMatching(/^5:\d+ that of => /),
        expect.stringMatching(/^6:\d+ is of => /),
        expect.stringMatching(/^8:\d+ Exceeds the maximum word count of 30/),
      ],
    },
    {
      status: 1,
      findings: [expect.stringMatching(/^3:\d+ That of/), expect.stringMatching(/^5:1 Exceeds/)],
    },
    { status: 1, findings: [expect.stringMatching(/^2:\d+ That of/)] },
  ]);
});

test('the prose linter accepts code and clean sentences', async () => {
  const source = [`/** ${clean} */`, 'const query = sql`select that of from size`;', ''].join('\n');
  expect(await lint('a.ts', source)).toEqual({ status: 0, findings: [] });
});
