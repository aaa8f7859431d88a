import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import {
  copyEmbeddedSnapshot,
  memoryDirectory,
  readExamples,
  repository,
  temporaryDirectory,
} from '@animal-store/testkit';
import { expect, test, vi } from 'vitest';
import { migrationsFolder } from '../../src/schema/migration-options.ts';

// Three READMEs have examples that other tests run. A campaign (long test) runs the example of
// packages/contract. The tests of packages/client and packages/quotas run the examples of their own
// READMEs.

/**
 * A folder inside the server's node_modules, so that the imports of the examples can be resolved.
 */
const home = join(import.meta.dirname, '../../node_modules/.readme-examples');

const folders = [
  'packages/admin-contract',
  'packages/http-server',
  'packages/observability',
  'packages/postgres',
  'packages/runtime',
  'packages/testkit',
  'apps/cli',
  'apps/server',
];

test.each(folders)(
  'the example in the README of %s prints the output that its comments show',
  async (folder) => {
    await using directory = await temporaryDirectory({ parent: memoryDirectory() });
    const [example = ''] = await readExamples(join(repository, folder));
    const dataDir = join(directory.path, 'data');
    // The creation of an embedded database takes seconds, so the examples open a copy of one.
    await copyEmbeddedSnapshot(dataDir);
    const given = { dataDir, migrationsFolder };
    const values = Object.entries(given).map(
      ([name, value]) => `const ${name} = ${JSON.stringify(value)};`,
    );
    mkdirSync(home, { recursive: true });
    const file = join(home, `${folder.replace('/', '-')}.mjs`);
    // The example in the README of the server imports its sources.
    const code = stripTypeScriptTypes(example).replace("'./src/", "'../../src/");
    writeFileSync(file, `${values.join('')}${code}`);

    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    try {
      await import(/* @vite-ignore */ `${file}?${Date.now()}`);
      const printed = log.mock.calls.map(([value]) =>
        Array.isArray(value) ? value.join(', ') : String(value),
      );
      const promised = Array.from(
        example.matchAll(/^console\.log\(.*; \/\/ (.*)$/gm),
        ([, text]) => text,
      );
      expect(promised.length).toBeGreaterThan(0);
      expect(printed.slice(-promised.length)).toEqual(promised);
    } finally {
      log.mockRestore();
    }
  },
);

test('the introduction of each README fits on one screen', () => {
  for (const folder of folders)
    expect(
      readFileSync(join(repository, folder, 'README.md'), 'utf8').split('\n').length,
    ).toBeLessThan(45);
});
