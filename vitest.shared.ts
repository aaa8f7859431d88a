import { configDefaults, defineConfig, type ViteUserConfigFnObject } from 'vitest/config';
import type { InlineConfig } from 'vitest/node';
import { hangMs } from './packages/testkit/src/time-limits.ts';
import { createTotalReporter } from './scripts/test-total-reporter.ts';

/**
 * The vitest configuration of a package.
 *
 * `vitest run` runs every `*.test.ts`. `vitest run --mode heavy` runs only `test/heavy/*.heavy.test.ts`:
 * tests that take long, or that need more than `npm test` installs.
 */
export function configureTests(
  name: string,
  options: InlineConfig = {},
  /** Files that `--mode heavy` runs too, in another way. */
  heavyToo: readonly string[] = [],
): ViteUserConfigFnObject {
  return defineConfig(({ mode }) => ({
    test: {
      // Most tests wait for servers and databases, so one more worker than a small machine has cores.
      maxWorkers: 3,
      // A worker runs file after file, because a new process for each would take a tenth of all processor
      // time. So each file puts back what it changes in the process, such as clocks and spies.
      isolate: mode === 'heavy',
      // Time limits only end a hang. A test may wait for several events, one after another.
      testTimeout: mode === 'heavy' ? 15 * hangMs : 3 * hangMs,
      hookTimeout: 3 * hangMs,
      teardownTimeout: hangMs,
      expect: { poll: { timeout: hangMs } },
      ...options,
      name: mode === 'heavy' ? `${name}-heavy` : name,
      ...(mode === 'heavy'
        ? { include: ['test/heavy/**/*.heavy.test.ts', ...heavyToo] }
        : { exclude: [...configDefaults.exclude, 'test/heavy/**', ...(options.exclude ?? [])] }),
      reporters: ['default', createTotalReporter()],
    },
  }));
}
