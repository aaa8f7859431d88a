import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';
import type { InlineConfig } from 'vitest/node';
import { eventMs, hangMs } from './time-limits.ts';

/** What all tests have in common. */
export const limits: InlineConfig = {
  // Most tests wait for servers and databases, so one more worker than a small machine has cores.
  maxWorkers: 3,
  // A worker runs file after file, because a new process for each would take a tenth of all processor
  // time. So each file puts back what it changes in the process, such as clocks and spies.
  isolate: false,
  // Time limits only end a hang. A test may wait for several events, one after another.
  testTimeout: 3 * hangMs,
  hookTimeout: 3 * hangMs,
  teardownTimeout: hangMs,
  expect: { poll: { timeout: eventMs } },
};

/** The folders of tests that run by themselves: see `vitest.config.ts`. */
const others = ['test/browser/**', 'test/campaigns/**', 'test/process/**'];

/** The vitest configuration of a package: its tests of rules, and of the service. */
export function configureTests(name: string, options: InlineConfig = {}): ViteUserConfig {
  const exclude = [...configDefaults.exclude, ...others, ...(options.exclude ?? [])];
  return defineConfig({ test: { ...limits, ...options, name, exclude } });
}
