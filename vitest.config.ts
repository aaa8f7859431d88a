import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';
import { serviceOptions } from './apps/server/test/support/vitest-options.ts';
import { limits } from './packages/testkit/src/configure-tests.ts';

/**
 * Creates a test project for one folder name in all packages. No other project runs at the same
 * time.
 *
 * @param maxWorkers the number of test files that run at the same time.
 */
const alone = (name: string, groupOrder: number, maxWorkers = 1): ViteUserConfig => ({
  test: {
    ...limits,
    ...serviceOptions,
    name,
    include: [`{apps,packages}/*/test/${name}/*.test.ts`, `examples/test/${name}/*.test.ts`],
    exclude: configDefaults.exclude,
    maxWorkers,
    sequence: { groupOrder },
  },
});

/**
 * The test projects of the whole repository. `vitest run pagination` runs a file of any package,
 * and `npm run campaign` selects the mode `campaigns`.
 */
export default defineConfig(({ mode }) => ({
  test: {
    projects:
      mode === 'campaigns'
        ? [alone('campaigns', 0)]
        : [
            // The benchmark has its own workspace and its own tests.
            ...['{apps,packages}/*/vitest.config.ts', '!apps/bench/vitest.config.ts'],
            alone('process', 1, 2),
            alone('browser', 2, 2),
          ],
  },
}));
