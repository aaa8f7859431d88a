import { tools } from '@animal-store/heavy-tools';
import { type Consumer, createConsumer } from '@animal-store/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { compilations, compileConsumer, typescript7 } from '../compile-consumer.ts';
import { packageDirectory } from '../package-directory.ts';

let consumer: Consumer;
beforeAll(async () => {
  consumer = await createConsumer(packageDirectory);
  return consumer[Symbol.asyncDispose];
});

test('the tool "Are the Types Wrong" finds no problem in the packed client with any module resolution', async () => {
  const { checkPackage, createPackageFromTarballData } = await import(tools.areTheTypesWrong);
  const result = await checkPackage(createPackageFromTarballData(consumer.tarball));
  expect(result).toMatchObject({ types: { kind: 'included' }, problems: [] });
});

describe.each([
  ['TypeScript 5.4', tools.typescript54],
  ['TypeScript 5.9', tools.typescript59],
  ['TypeScript 7', typescript7],
])('the compiler %s', (_name, tsc) => {
  const ofNode20 = { ...compilations.Node, types: [tools.typesOfNode20] };
  // The types of Node 26 need a newer compiler than TypeScript 5.4. Users of TypeScript 5.4 have
  // older types of Node, so this compiler gets only the types of Node 20.
  const { Node, 'Node with the DOM': nodeWithDom, ...others } = compilations;
  const newer = tsc === tools.typescript54 ? {} : { Node, 'Node with the DOM': nodeWithDom };
  test.each(Object.entries({ ...others, ...newer, 'Node 20': ofNode20 }))(
    'the TypeScript compiler accepts the client and the examples of the README with the types of %s',
    (_runtime, options) => compileConsumer(consumer, tsc, options),
  );
});
