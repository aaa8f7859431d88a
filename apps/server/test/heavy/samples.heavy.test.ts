import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@animal-store/testkit';
import { beforeAll, expect, test } from 'vitest';
import { expectOutputs } from '../support/expected-samples.ts';
import { readSamples } from '../support/read-samples.ts';
import { runSamples, type Sample } from '../support/run-samples.ts';
import { useService } from '../support/test-service.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../../', import.meta.url));

const service = useService('postgres');
let samples: Sample[];

beforeAll(async () => {
  await service.call('/pets', { json: '{"name":"Mia","categoryId":3}' });
  samples = await readSamples(service.server.origin);
});

const of = (language: Sample['language']) =>
  samples.filter((sample) => sample.language === language);

test('every sample in Go compiles and runs as it stands', async () => {
  const outputs = await runSamples(of('go'), service.tokens.enterprise);
  expect(Object.keys(outputs).length).toBeGreaterThan(7);
  expectOutputs(outputs);
});

test('every sample in TypeScript compiles strictly', async () => {
  await using directory = await temporaryDirectory();
  await symlink(join(repository, 'examples/node_modules'), join(directory.path, 'node_modules'));
  await writeFile(join(directory.path, 'package.json'), '{"type":"module"}');
  const files = of('ts').map((_, index) => `sample-${index}.ts`);
  for (const [index, { source }] of of('ts').entries()) {
    await writeFile(join(directory.path, `sample-${index}.ts`), source);
  }
  expect(files.length).toBeGreaterThan(7);
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024'];
  const outcome = await run(
    join(repository, 'node_modules/.bin/tsc'),
    [...options, '--types', 'node', ...files],
    { cwd: directory.path },
  ).catch((error: { stdout: string }) => error);
  expect(outcome.stdout).toBe('');
});
