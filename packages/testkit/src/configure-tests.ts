import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';
import type { InlineConfig } from 'vitest/node';
import { eventMs, hangMs } from './time-limits.ts';

/** The vitest settings that the tests of all packages share. */
export const limits: InlineConfig = {
  // Most tests wait for servers and databases. So there is one worker more than the two cores of a
  // small machine. The scripts of small packages set one worker by `--maxWorkers=1`, because each
  // worker loads all modules again, and turbo tests two packages at the same time.
  maxWorkers: 3,
  // One process runs several test files. Starting a new process for each file would use 10 % of the
  // CPU time of a test run. So each file must restore what it changes in the process, such as
  // clocks and spies.
  isolate: false,
  // These timeouts only stop a test that hangs. They are three times as long as one wait, because a
  // test may wait for several events in a row.
  testTimeout: 3 * hangMs,
  hookTimeout: 3 * hangMs,
  teardownTimeout: hangMs,
  expect: { poll: { timeout: eventMs } },
};

/** The folders with tests that have their own vitest projects: see `vitest.config.ts`. */
const others = ['test/browser/**', 'test/campaigns/**', 'test/process/**'];

/** Returns the vitest configuration of a package, for its unit tests and its service tests. */
export function configureTests(name: string, options: InlineConfig = {}): ViteUserConfig {
  const exclude = [...configDefaults.exclude, ...others, ...(options.exclude ?? [])];
  return defineConfig({ test: { ...limits, ...options, name, exclude } });
}
