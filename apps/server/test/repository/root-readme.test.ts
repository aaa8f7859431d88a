import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cliVariables } from '@animal-store/cli';
import { findProgram, repository, temporaryDirectory } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { environmentVariables } from '../../src/config.ts';
import { createDatabase } from '../support/databases.ts';
import { openLocalServer } from '../support/local-server.ts';

const run = promisify(execFile);
const read = (path: string) => readFileSync(join(repository, path), 'utf8');

/** Replaces the parts of an output that differ in each run. */
const settle = (text: string) =>
  text
    .replaceAll('\r', '')
    .replace(/^(?:Date|Connection|Keep-Alive): .*\n/gm, '')
    .replace(/^(X-Request-Id: ).*$/m, '$1…')
    .replace(/^(X-RateLimit-Reset: )\d+$/m, '$1…')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'http://…')
    .trim();

test('the README shows a curl command with its real response, and a working program that uses the client', async () => {
  await findProgram('curl');
  await using database = await createDatabase('embedded');
  await using server = await openLocalServer(database.env);
  const onServer = (text: string) => text.replaceAll('http://127.0.0.1:3000', server.origin);
  const block = (language: string) =>
    new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\`$`, 'm').exec(read('README.md'))?.[1] ??
    '';
  const [command = '', ...answer] = block('console').slice(2).split('\n');
  const { stdout } = await run('sh', ['-c', onServer(command)], {
    // biome-ignore lint/style/noProcessEnv: curl is wherever this machine has it
    env: { PATH: process.env['PATH'] ?? '', ANIMAL_STORE_API_KEY: server.demoKey },
  });
  expect(settle(stdout)).toBe(settle(answer.join('\n')));

  // The client must run after the curl command, because each request uses up one of the API key's
  // remaining requests, and the README shows their number.
  await using directory = await temporaryDirectory();
  const modules = join(directory.path, 'node_modules/@animal-store');
  await mkdir(modules, { recursive: true });
  await symlink(join(repository, 'packages/client'), join(modules, 'client'));
  const script = join(directory.path, 'example.ts');
  await writeFile(script, onServer(block('ts')));
  const printed = await run(process.execPath, [script], {
    env: { ANIMAL_STORE_API_KEY: server.demoKey },
  });
  expect(printed).toEqual({ stderr: '', stdout: expect.stringMatching(/^\d+ \d+\n$/) });
});

test('docs/settings.md describes every environment variable of the service and the CLI, and no others', () => {
  const rows = read('docs/settings.md').matchAll(/^\| `([A-Z_]+)`/gm);
  const described = Array.from(rows, ([, name]) => name);
  const names = new Set([...environmentVariables, ...cliVariables]);
  expect(described.toSorted()).toEqual([...names].sort());
});

test.each(
  [
    ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
    ...readdirSync(join(repository, 'docs')).map((name) => `docs/${name}`),
  ].filter((name) => name.endsWith('.md')),
)('the document %s names only files and scripts that exist', (document) => {
  const text = read(document);
  const folder = dirname(join(repository, document));
  const named = (pattern: RegExp) => Array.from(text.matchAll(pattern), ([, name = '']) => name);
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  expect([
    ...named(/\]\((?!http)([^)#]+)/g).filter((link) => !existsSync(join(folder, link))),
    ...named(/`((?:apps|docs|packages|scripts)\/[\w./-]+)`/g).filter(
      (path) => !existsSync(join(repository, path)),
    ),
    ...named(
      /\bnpm (?:run )?((?:start|test|keys|accounts|operators|usage|check|format|bench)[:\w]*)/g,
    ).filter((name) => scripts[name] === undefined),
  ]).toEqual([]);
});
