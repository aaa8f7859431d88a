import { defineConfig } from 'vitest/config';

/** All but those of processes. */
export default defineConfig({ test: { include: ['test/*.test.ts'], testTimeout: 60_000 } });
