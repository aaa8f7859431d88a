import { defineConfig } from 'vitest/config';

/**
 * The mutation tests run all tests except process tests and simulations, because these would take
 * seconds for each mutant (a changed copy of the code).
 */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/*.test.ts'],
    exclude: ['test/bursts-of-calls.test.ts'],
    testTimeout: 60_000,
    setupFiles: 'test/remove-fakes.ts',
  },
});
