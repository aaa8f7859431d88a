import { findInstalled } from '@animal-store/testkit';
import { beforeAll, expect, test } from 'vitest';
import { expectedSamples, expectOutputs } from '../support/expected-samples.ts';
import { readSamples } from '../support/read-samples.ts';
import { runSamples, type Sample } from '../support/run-samples.ts';
import { useService } from '../support/test-service.ts';

const service = useService('postgres');
let samples: Sample[];

beforeAll(async () => {
  await service.call('/pets', { json: '{"name":"Mia","categoryId":3}' });
  samples = await readSamples(service.server.origin);
});

test('every operation has a sample in each language, and each sample an expected output', () => {
  const operations = [
    'List animals',
    'Add an animal',
    'Get an animal by its id',
    "Show the key's rate limits",
    'List orders',
  ];
  for (const operation of operations) {
    const languages = samples
      .filter(({ name }) => name.startsWith(`operations, ${operation},`))
      .map(({ language }) => language);
    expect(languages, operation).toEqual(['sh', 'ts', 'js', 'python', 'go']);
  }
  expect(samples.map(({ name }) => name).toSorted()).toEqual(expectedSamples.toSorted());
});

test('every sample in curl, TypeScript, JavaScript and Python runs as it stands', async () => {
  const outputs = await runSamples(
    samples.filter(({ language }) => language !== 'go'),
    service.tokens.enterprise,
  );
  expect(Object.keys(outputs).length).toBeGreaterThan(25);
  expectOutputs(outputs);
});

// All of them run in `npm run test:all`, which fetches Go where it can.
test('a sample in Go runs as it stands, where Go is installed', async () => {
  const name = 'operations, Add an animal, go';
  const sample = samples.filter((sample) => sample.name === name);
  expect(sample).toHaveLength(1);
  if ((await findInstalled('go')) === undefined) {
    // biome-ignore lint/suspicious/noConsole: nothing is left out silently
    console.warn('Go is not installed here, so its samples did not run. Install it: golang-go.');
    return;
  }
  expectOutputs(await runSamples(sample, service.tokens.enterprise));
});
