import { defineConfig } from 'vitest/config';

/** The tests that need no build and no process: a mutant costs seconds as it is. */
export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'test/{client,client-features,errors,pagination,rate-limit,retries}.test.ts',
    ],
  },
});
