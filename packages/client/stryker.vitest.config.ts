import { defineConfig } from 'vitest/config';

/**
 * The mutation tests run all tests except process tests and simulations. Those would take seconds
 * for each mutant.
 */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/*.test.ts'],
    exclude: ['test/bursts-of-calls.test.ts'],
    testTimeout: 60_000,
    setupFiles: 'test/remove-fakes.ts',
  },
});
