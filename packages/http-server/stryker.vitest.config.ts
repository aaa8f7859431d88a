import { join } from 'node:path';
import { repository } from '@animal-store/testkit';
import { defineConfig } from 'vitest/config';

const server = join(repository, 'apps/server');

/**
 * The mutation tests run the unit tests of the package, and the tests of the server that send HTTP
 * requests. Stryker changes a copy of the package, which is the current directory. The aliases make
 * the server import this copy.
 */
export default defineConfig({
  resolve: {
    alias: [
      {
        find: /^@animal-store\/http-server$/,
        replacement: join(import.meta.dirname, 'src/index.ts'),
      },
    ],
  },
  test: {
    include: [
      'src/*.test.ts',
      `${server}/test/{http,wire}/*.test.ts`,
      `${server}/test/pets/pets.test.ts`,
      `${server}/test/reference/{error,ref}*.test.ts`,
    ],
    // All test files of a mutant share one process, because loading the service takes longer than
    // most tests.
    isolate: false,
    globalSetup: join(server, 'test/support/global-setup.ts'),
    setupFiles: join(server, 'test/campaigns/mutation/cover-hooks.ts'),
    execArgv: ['--liftoff-only', '--import', join(server, 'src/resolve-drizzle.ts')],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
