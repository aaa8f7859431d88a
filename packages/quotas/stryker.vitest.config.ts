import { defineConfig } from 'vitest/config';

/** The mutation tests run all tests except the process tests and campaigns (long tests). */
export default defineConfig({ test: { include: ['test/*.test.ts'], testTimeout: 60_000 } });
