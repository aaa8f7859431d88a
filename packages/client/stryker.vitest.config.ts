import { defineConfig } from 'vitest/config';

/** The tests that need no build, no process and no real time: a mutant costs seconds as it is. */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/{client,errors,pagination,rate-limit,retries}.test.ts'],
  },
});
