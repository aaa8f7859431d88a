import { defineConfig } from 'vitest/config';

/** All but those of processes, and the simulations, which take seconds a mutant. */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/*.test.ts'],
    exclude: ['test/bursts-of-calls.test.ts'],
    testTimeout: 60_000,
    setupFiles: 'test/put-back.ts',
  },
});
