import { tools } from '@animal-store/heavy-tools';
import { describe, expect, test } from 'vitest';
import {
  compilations,
  compilationsWith,
  compileConsumer,
  typescript7,
} from '../compile-consumer.ts';
import { createConsumer } from '../consumer.ts';

test('Are the Types Wrong finds no problem in the package, however its types are resolved', async () => {
  const { checkPackage, createPackageFromTarballData } = await import(tools.areTheTypesWrong);
  await using consumer = await createConsumer();
  const result = await checkPackage(createPackageFromTarballData(consumer.tarball));
  expect(result).toMatchObject({ types: { kind: 'included' }, problems: [] });
});

describe.each([
  ['TypeScript 5.4', tools.typescript54],
  ['TypeScript 5.9', tools.typescript59],
  ['TypeScript 7', typescript7],
])('%s', (_name, tsc) => {
  test.each([...compilations, ...compilationsWith(tools.typesOfNode20)])(
    'with $resolution compiles it for $runtime, and the README’s examples',
    async ({ options }) => {
      await using consumer = await createConsumer();
      await compileConsumer(consumer, tsc, options);
    },
  );
});
