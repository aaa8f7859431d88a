import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram } from '@animal-store/testkit';
import { beforeAll, expect, test } from 'vitest';
import {
  expectedOutputs,
  readSamples,
  runSamples,
  type Sample,
  unexpectedOutputs,
} from '../reference/samples.ts';
import { useService } from '../support/test-service.ts';

const run = promisify(execFile);

const service = useService('postgres');
let samples: Sample[];

beforeAll(async () => {
  // One of the samples lists five animals. The test creates these animals first, because the other
  // samples run at the same time and also create animals.
  for (let n = 0; n < 5; n += 1)
    await service.call('/pets', { json: '{"name":"Mia","categoryId":3}' });
  samples = await readSamples(service.server.origin);
});

test('every API operation has a code sample in each language, and each sample has an expected output', () => {
  for (const operation of [
    ...['List animals', 'Add an animal', 'Get an animal by its id', 'List orders'],
    'Show your rate limits',
  ]) {
    const own = samples.filter(({ name }) => name.startsWith(`operations, ${operation},`));
    const languages = own.map(({ language }) => language);
    expect(languages, operation).toEqual(['sh', 'ts', 'js', 'python', 'go']);
  }
  const expected = Object.keys(expectedOutputs).toSorted();
  expect(samples.map(({ name }) => name).toSorted()).toEqual(expected);
});

// The campaign (long test) `clients` runs the samples in Go.
test('every code sample in curl, TypeScript, JavaScript and Python runs without changes and prints its expected output', async () => {
  const own = samples.filter(({ language }) => language !== 'go');
  const outputs = await runSamples(own, service.tokens.enterprise);
  expect(Object.keys(outputs)).toHaveLength(own.length);
  expect(unexpectedOutputs(outputs)).toEqual([]);
});

test('a Python client whose author knew only the documentation runs every operation', async () => {
  const { server, tokens } = service;
  const program = fileURLToPath(new URL('../reference/foreign-program.py', import.meta.url));
  const document = new URL('/openapi.json', server.baseUrl).href;
  const args = [program, document, server.baseUrl, tokens.enterprise, tokens.free];
  const { stdout } = await run(await findProgram('python'), args);
  // The client does not round the largest 64-bit integer.
  expect(stdout).toContain('"created": 9223372036854775807');
  expect(JSON.parse(stdout)).toMatchObject({
    replayed: [true, null, 'true'],
    listedAll: true,
    found: [true, 'Thu, 05 Dec 2030 00:00:00 GMT'],
    refused: [
      ...['invalid_request', 'invalid_request', 'idempotency_key_reused', 'pet_not_found'],
      ...['method_not_allowed', 'not_implemented', 'unauthorized'],
    ],
    limited: [429, 'rate_limit_exceeded', true],
    remaining: expect.any(Number),
  });
});
