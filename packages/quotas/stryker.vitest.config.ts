import { defineConfig } from 'vitest/config';

/** All tests except the process tests. */
export default defineConfig({ test: { include: ['test/*.test.ts'], testTimeout: 60_000 } });
