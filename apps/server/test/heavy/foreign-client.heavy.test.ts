import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { tools } from '@animal-store/heavy-tools';
import { findProgram, temporaryDirectory } from '@animal-store/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/test-service.ts';

const run = promisify(execFile);
const serverDirectory = fileURLToPath(new URL('../../', import.meta.url));
const compiler = join(serverDirectory, '../../node_modules/.bin/tsc');

let service: TestService;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  [service, directory] = await Promise.all([startService('embedded'), temporaryDirectory()]);
  await symlink(join(serverDirectory, 'node_modules'), join(directory.path, 'node_modules'));
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await directory?.[Symbol.asyncDispose]();
});

/** Compiles a program strictly, as its user would, and runs it. */
async function compileAndRun(name: string, args: readonly string[]): Promise<string> {
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024'];
  const files = ['--types', 'node', '--allowImportingTsExtensions', `${name}.ts`];
  await run(compiler, [...options, ...files], { cwd: directory.path }).catch((error) => {
    throw new Error(error.stdout);
  });
  const { stdout } = await run(process.execPath, [`${name}.ts`, ...args], { cwd: directory.path });
  return stdout;
}

test('a client that is generated from the document alone runs every operation', async () => {
  const document = new URL('/openapi.json', service.server.baseUrl);
  await writeFile(join(directory.path, 'package.json'), '{"type":"module"}');
  const types = join(directory.path, 'api.ts');
  await run(process.execPath, [tools.openapiTypescript, document.href, '--output', types]);
  const program = await readFile(new URL('foreign-program.ts.txt', import.meta.url), 'utf8');
  await writeFile(join(directory.path, 'program.ts'), program);
  const output = await compileAndRun('program', [
    service.server.baseUrl,
    service.tokens.enterprise,
  ]);
  expect(JSON.parse(output)).toEqual({
    created: { id: 1, name: 'Mia', categoryId: 3, status: 'available' },
    listed: ['Mia'],
    found: 'Mia',
    missing: 'pet_not_found',
    refused: 'invalid_request',
    orders: 'not_implemented',
    remaining: expect.stringMatching(/^\d+$/),
  });
});

test('a client that is written from the page alone, in Python, runs every operation', async () => {
  const { server, tokens } = service;
  const program = fileURLToPath(new URL('foreign-program.py', import.meta.url));
  const document = new URL('/openapi.json', server.baseUrl).href;
  const { stdout } = await run(await findProgram('python'), [
    program,
    document,
    server.baseUrl,
    tokens.enterprise,
    tokens.free,
  ]);
  // The last digits of int64 included.
  expect(stdout).toContain('"created": 9223372036854775807');
  expect(JSON.parse(stdout)).toMatchObject({
    replayed: [true, null, 'true'],
    listedAll: true,
    found: [true, 'Thu, 05 Dec 2030 00:00:00 GMT'],
    refused: [
      'invalid_request',
      'invalid_request',
      'idempotency_key_reused',
      'pet_not_found',
      'method_not_allowed',
      'not_implemented',
      'unauthorized',
    ],
    limited: [429, 'rate_limit_exceeded', true],
    remaining: expect.any(Number),
  });
});
