import { deepEqual, match } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { guideMarkdownPath } from '@animal-store/docs';
import { tools } from '@animal-store/heavy-tools';
import { repository, temporaryDirectory } from '@animal-store/testkit';
import { readSamples, runSamples, unexpectedOutputs } from '../reference/samples.ts';
import { call } from '../support/test-service.ts';
import { type LoadedServer, startWithStores } from './start-with-stores.ts';

const execute = promisify(execFile);

/**
 * Tests clients for which `npm test` has no programs: the samples of the guides in Go, and a client
 * that orval generates. The campaign also compiles the TypeScript samples in strict mode, and again
 * with generated types. Go must be installed.
 */
export async function run(): Promise<void> {
  await using loaded = await startWithStores();
  const { server, token } = loaded;
  await call(`${server.baseUrl}/pets`, { token, json: '{"name":"Mia","categoryId":3}' });
  const samples = await readSamples(server.origin);
  const inGo = samples.filter(({ language }) => language === 'go');
  deepEqual(unexpectedOutputs(await runSamples(inGo, token)), []);
  const inTypeScript = samples.filter(({ language }) => language === 'ts');
  const programsWith = (name: string) =>
    inTypeScript.map(({ source }) => source).filter((source) => source.includes(`'${name}'`));
  await compile('examples', programsWith('@animal-store/client'));
  const document = `${server.origin}/openapi.json`;
  const types = await execute(process.execPath, [tools.openapiTypescript, document]);
  await compile('apps/server', programsWith('openapi-fetch'), types.stdout);
  await runOrval(loaded);
  process.stdout.write(`${inGo.length} samples in Go, ${inTypeScript.length} in TypeScript\n`);
}

/**
 * Compiles programs in strict mode, as users of the packages would.
 *
 * @param folder the folder from which the programs import packages.
 */
async function compile(folder: string, sources: readonly string[], types = ''): Promise<void> {
  await using directory = await temporaryDirectory();
  const pathOf = (name: string) => join(directory.path, name);
  await symlink(join(repository, folder, 'node_modules'), pathOf('node_modules'));
  await writeFile(pathOf('package.json'), '{"type":"module"}');
  await writeFile(pathOf('api.ts'), types);
  const files = sources.map((_, index) => `program-${index}.ts`);
  for (const [index, source] of sources.entries())
    await writeFile(pathOf(`program-${index}.ts`), source);
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024'];
  const more = ['--types', 'node', '--allowImportingTsExtensions'];
  const compiler = join(repository, 'node_modules/.bin/tsc');
  const { stdout } = await execute(compiler, [...options, ...more, ...files], {
    cwd: directory.path,
  }).catch((error: { stdout: string }) => error);
  deepEqual(stdout, '');
}

/**
 * Follows the guide to orval: the function writes the files from the guide, and runs the program of
 * the guide.
 */
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
  const options = { cwd: directory.path, env: { ANIMAL_STORE_API_KEY: token } };
  await execute(process.execPath, [tools.orval], options);
  const { stdout } = await execute(process.execPath, ['first.ts'], options);
  match(stdout, /^Added animal \d+\. \d+ animals are for sale\.$/m);
}
