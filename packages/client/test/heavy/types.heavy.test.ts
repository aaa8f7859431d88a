import { tools } from '@animal-store/heavy-tools';
import { expect, test } from 'vitest';
import { compilations, compileConsumer } from '../compile-consumer.ts';
import { createConsumer } from '../consumer.ts';

test('Are the Types Wrong finds no problem in the package, however its types are resolved', async () => {
  const { checkPackage, createPackageFromTarballData } = await import(tools.areTheTypesWrong);
  await using consumer = await createConsumer();
  const result = await checkPackage(createPackageFromTarballData(consumer.tarball));
  expect(result).toMatchObject({ types: { kind: 'included' }, problems: [] });
});

test.each(compilations)(
  'TypeScript 5.9 with $resolution compiles it for $runtime, and the README’s examples',
  async ({ options }) => {
    await using consumer = await createConsumer();
    await compileConsumer(consumer, tools.typescript59, options);
  },
);
