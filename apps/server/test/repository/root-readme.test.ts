import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram, temporaryDirectory } from '@animal-store/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { environmentVariables } from '../../src/config.ts';
import { createDatabase } from '../support/databases.ts';
import { type LocalServer, openLocalServer } from '../support/local-server.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const readme = read('README.md');

describe('the README', () => {
  let server: LocalServer;

  beforeAll(async () => {
    const database = await createDatabase('embedded');
    server = await openLocalServer(database.env);
    return async () => {
      await server[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    };
  });

  /** What differs from run to run, and nothing else. */
  const settle = (text: string) =>
    text
      .replaceAll('\r', '')
      .replace(/^(?:Date|Connection|Keep-Alive): .*\n/gm, '')
      .replace(/^(X-Request-Id: ).*$/m, '$1…')
      .replace(/^(X-RateLimit-Reset: )\d+$/m, '$1…')
      .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'http://…')
      .trim();

  test('shows a curl command, the answer that it gives, and how to use the client', async () => {
    await findProgram('curl');
    const [command = '', ...answer] = block('console').slice(2).split('\n');
    const { stdout } = await run('sh', ['-c', onServer(command)], {
      env: { PATH: path(), API_KEY: server.demoKey },
    });
    expect(settle(stdout)).toBe(settle(answer.join('\n')));

    // Afterwards: the answer tells how many requests of the key are left.
    await using directory = await temporaryDirectory();
    await mkdir(join(directory.path, 'node_modules/@animal-store'), { recursive: true });
    await symlink(
      join(repository, 'packages/client'),
      join(directory.path, 'node_modules/@animal-store/client'),
    );
    const script = join(directory.path, 'example.ts');
    await writeFile(script, onServer(block('ts')));
    const printed = await run(process.execPath, [script], { env: { API_KEY: server.demoKey } });
    expect(printed.stderr).toBe('');
    expect(printed.stdout).toMatch(/^\d+ \d+\n$/);
  });

  const onServer = (text: string) => text.replaceAll('http://127.0.0.1:3000', server.origin);
});

test('docs/settings.md describes every setting, and no other', () => {
  const settings = read('docs/settings.md');
  const described = [...settings.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name);
  expect(described.toSorted()).toEqual(environmentVariables.toSorted());
});

describe('the layout in CONTRIBUTING.md', () => {
  let parent = '';
  const listed = block('', read('CONTRIBUTING.md'))
    .split('\n')
    .map((line) => {
      const [, indent = '', entry = ''] = /^( *)(\S+)/.exec(line) ?? [];
      if (indent === '') parent = entry;
      return indent === '' ? entry : join(parent, entry);
    });
  const foldersOf = (parent: string) =>
    readdirSync(join(repository, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(parent, name));

  test('lists only what exists, once', () => {
    expect(listed.filter((file) => !existsSync(join(repository, file)))).toEqual([]);
    const paths = listed.map((file) => file.replace(/\/$/, ''));
    expect(paths.filter((file, index) => paths.indexOf(file) !== index)).toEqual([]);
  });

  test('lists every package, and every folder of the server', () => {
    // A folder without a manifest was left behind by a package that is gone.
    const packages = [...foldersOf('packages'), ...foldersOf('apps')].filter((folder) =>
      existsSync(join(repository, folder, 'package.json')),
    );
    const folders = foldersOf('apps/server/src').map((folder) => `${folder}/`);
    expect(packages.length).toBeGreaterThan(3);
    expect(folders.length).toBeGreaterThan(5);
    expect([...packages, ...folders].filter((folder) => !listed.includes(folder))).toEqual([]);
  });
});

const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...readdirSync(join(repository, 'docs')).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'));

describe.each(documents)('%s', (document) => {
  const text = read(document);

  test('links to files that exist', () => {
    const targets = [...text.matchAll(/\]\((?!http)([^)#]+)/g)].map(([, target = '']) => target);
    const folder = dirname(join(repository, document));
    expect(targets.filter((target) => !existsSync(join(folder, target)))).toEqual([]);
  });

  test('names files that exist', () => {
    const named = [...text.matchAll(/`((?:apps|docs|packages|scripts)\/[\w./-]+)`/g)];
    const paths = named.map(([, path = '']) => path);
    expect(paths.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
  });

  test('names scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [
      ...text.matchAll(
        /\bnpm (?:run )?((?:start|test|keys|accounts|operators|usage|check|format|bench)[:\w]*)/g,
      ),
    ];
    const names = named.map(([, name = '']) => name);
    expect(names.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

function read(path: string): string {
  return readFileSync(join(repository, path), 'utf8');
}

/** The first code block of a language. */
function block(language: string, text = readme): string {
  // All of them in turn, or the end of one would be taken for the beginning of another.
  const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)\n```$/gm)];
  const [, , found] = blocks.find(([, name]) => name === language) ?? [];
  if (found === undefined) throw new Error(`There is no ${language} block.`);
  return found;
}

function path(): string {
  // biome-ignore lint/style/noProcessEnv: curl is wherever this machine has it
  return process.env['PATH'] ?? '';
}
