import { defineConfig } from 'vitest/config';

/** All tests but the campaigns, which need other programs. */
export default defineConfig({
  test: { include: ['src/**/*.test.ts', 'test/*.test.ts'], testTimeout: 60_000 },
});
