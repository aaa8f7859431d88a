import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';
import { serviceOptions } from './apps/server/test/support/vitest-options.ts';
import { limits } from './packages/testkit/src/configure-tests.ts';

/** Tests of one folder in all packages, which run by themselves: one after another, nothing beside them. */
const alone = (name: string, groupOrder: number): ViteUserConfig => ({
  test: {
    ...limits,
    ...serviceOptions,
    name,
    include: [`{apps,packages}/*/test/${name}/*.test.ts`, `examples/test/${name}/*.test.ts`],
    exclude: configDefaults.exclude,
    maxWorkers: 1,
    sequence: { groupOrder },
  },
});

/** `vitest run pagination` runs one file of any package; `npm run campaign` uses the mode. */
export default defineConfig(({ mode }) => ({
  test: {
    projects:
      mode === 'campaigns'
        ? [alone('campaigns', 0)]
        : [
            // The benchmark is a workspace of its own.
            ...['{apps,packages}/*/vitest.config.ts', '!apps/bench/vitest.config.ts'],
            alone('process', 1),
            alone('browser', 2),
          ],
  },
}));
