import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  // The second is where Stryker keeps its copies of the tests.
  test: { name: 'client', exclude: [...configDefaults.exclude, '.stryker/**'] },
});
