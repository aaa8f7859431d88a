import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';
import type { InlineConfig } from 'vitest/node';
import { eventMs, hangMs } from './time-limits.ts';

/** Settings that all tests share. */
export const limits: InlineConfig = {
  // Most tests wait for servers and databases, so there is one more worker than a small machine has
  // cores.
  maxWorkers: 3,
  // A worker runs several files, because a new process for each would take a tenth of all processor
  // time. So each file restores what it changes in the process, such as clocks and spies.
  isolate: false,
  // These timeouts only end a hang. A test may wait for several events in a row.
  testTimeout: 3 * hangMs,
  hookTimeout: 3 * hangMs,
  teardownTimeout: hangMs,
  expect: { poll: { timeout: eventMs } },
};

/** The folders of tests that run alone: see `vitest.config.ts`. */
const others = ['test/browser/**', 'test/campaigns/**', 'test/process/**'];

/** Returns the vitest configuration of a package, for its unit tests and its service tests. */
export function configureTests(name: string, options: InlineConfig = {}): ViteUserConfig {
  const exclude = [...configDefaults.exclude, ...others, ...(options.exclude ?? [])];
  return defineConfig({ test: { ...limits, ...options, name, exclude } });
}
