import { configDefaults, defineConfig } from 'vitest/config';
import { maxWorkers } from '../../vitest.shared.ts';

export default defineConfig({
  // The second is where Stryker keeps its copies of the tests.
  test: { name: 'client', maxWorkers, exclude: [...configDefaults.exclude, '.stryker/**'] },
});
