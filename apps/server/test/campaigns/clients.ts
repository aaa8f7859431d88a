import { deepEqual, match } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tools } from '@animal-store/heavy-tools';
import { temporaryDirectory } from '@animal-store/testkit';
import { guideMarkdownPath } from '../../src/reference/docs-pages.ts';
import { readSamples, repository, runSamples, unexpectedOutputs } from '../reference/samples.ts';
import { send } from '../support/send.ts';
import { type LoadedServer, startWithStores } from './start-with-stores.ts';

const execute = promisify(execFile);

/**
 * Runs what `npm test` has no programs for: the samples of the guides in Go, those in TypeScript through a
 * strict compiler, and clients that are generated from the document alone. Needs Go.
 */
export async function run(): Promise<void> {
  await using loaded = await startWithStores();
  const { server, token } = loaded;
  await generateClient(loaded);
  await send(server.baseUrl, {
    method: 'POST',
    target: '/pets',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: '{"name":"Mia","categoryId":3}',
  });
  const samples = await readSamples(server.origin);
  const inGo = samples.filter(({ language }) => language === 'go');
  deepEqual(unexpectedOutputs(await runSamples(inGo, token)), []);
  const inTypeScript = samples.filter(({ language }) => language === 'ts');
  const [generated, ours] = ['openapi-fetch', '@animal-store/client'].map((name) =>
    inTypeScript.map(({ source }) => source).filter((source) => source.includes(`'${name}'`)),
  );
  await using _compiled = await compile('examples', ours ?? []);
  await using _generated = await compile('apps/server', generated ?? [], await typesOf(loaded));
  await runOrval(loaded);
  process.stdout.write(`${inGo.length} samples in Go, ${inTypeScript.length} in TypeScript\n`);
}

/** Compiles programs strictly, as their users would. @param folder whose packages they import. */
async function compile(folder: string, sources: readonly string[], types?: string) {
  const directory = await temporaryDirectory();
  const modules = join(directory.path, 'node_modules');
  await symlink(join(repository, folder, 'node_modules'), modules);
  await writeFile(join(directory.path, 'package.json'), '{"type":"module"}');
  if (types !== undefined) await writeFile(join(directory.path, 'api.ts'), types);
  const files = sources.map((_, index) => `program-${index}.ts`);
  for (const [index, source] of sources.entries()) {
    await writeFile(join(directory.path, files[index] ?? ''), source);
  }
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024'];
  const more = ['--types', 'node', '--allowImportingTsExtensions'];
  const compiler = join(repository, 'node_modules/.bin/tsc');
  const { stdout } = await execute(compiler, [...options, ...more, ...files], {
    cwd: directory.path,
  }).catch((error: { stdout: string }) => error);
  deepEqual(stdout, '');
  return directory;
}

async function typesOf({ server }: LoadedServer): Promise<string> {
  const document = new URL('/openapi.json', server.baseUrl).href;
  return (await execute(process.execPath, [tools.openapiTypescript, document])).stdout;
}

/** Follows the guide to orval: writes the files that it shows, and runs its program. */
async function runOrval({ server, token }: LoadedServer): Promise<void> {
  const response = await fetch(`${server.origin}${guideMarkdownPath('languages')}`);
  const [config, patientFetch, first] = Array.from(
    (await response.text()).matchAll(/^```typescript\n([\s\S]*?)^```$/gm),
    ([, source = '']) => source,
  );
  await using directory = await temporaryDirectory();
  const files = { 'orval.config.js': config, 'patient-fetch.ts': patientFetch, 'first.ts': first };
  for (const [name, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    await writeFile(join(directory.path, name), text ?? '');
  }
  const options = { cwd: directory.path, env: { API_KEY: token } };
  await execute(process.execPath, [tools.orval], options);
  const { stdout } = await execute(process.execPath, ['first.ts'], options);
  match(stdout, /^\d+ \d+ animals are for sale$/m);
}

async function generateClient(loaded: LoadedServer): Promise<void> {
  const { server, token } = loaded;
  const program = await readFile(new URL('foreign-program.ts.txt', import.meta.url), 'utf8');
  await using directory = await compile('apps/server', [program], await typesOf(loaded));
  const args = ['program-0.ts', server.baseUrl, token];
  const { stdout } = await execute(process.execPath, args, { cwd: directory.path });
  const { remaining, ...output } = JSON.parse(stdout);
  match(remaining, /^\d+$/);
  deepEqual(output, {
    created: { id: 1, name: 'Mia', categoryId: 3, status: 'available' },
    listed: ['Mia'],
    named: [1],
    found: 'Mia',
    missing: 'pet_not_found',
    refused: 'invalid_request',
    orders: 'not_implemented',
  });
}
