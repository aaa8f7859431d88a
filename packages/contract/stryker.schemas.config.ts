import { defineConfig } from 'vitest/config';

/** The mutation tests run all tests except the campaigns: long tests that need other programs. */
export default defineConfig({
  test: { include: ['src/**/*.test.ts', 'test/*.test.ts'], testTimeout: 60_000 },
});
