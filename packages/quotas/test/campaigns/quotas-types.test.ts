import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tools } from '@animal-store/heavy-tools';
import { repository, runIn, temporaryDirectory } from '@animal-store/testkit';
import { expect, test } from 'vitest';

const packageDirectory = join(import.meta.dirname, '../..');

test('the tool "Are the Types Wrong" finds no problem in the packed quotas package with any module resolution', async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'quotas.tgz');
  // The build of `prepack` is not needed, because `npm run campaign` has already built the package.
  const pack = ['pack', '--config.ignore-scripts=true', '--out', file];
  await runIn(packageDirectory, join(repository, 'node_modules/.bin/pnpm'), pack);
  const { checkPackage, createPackageFromTarballData } = await import(tools.areTheTypesWrong);
  const tarball = new Uint8Array(await readFile(file));
  const result = await checkPackage(createPackageFromTarballData(tarball));
  expect(result).toMatchObject({ types: { kind: 'included' }, problems: [] });
});
