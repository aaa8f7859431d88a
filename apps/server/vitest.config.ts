import { defineConfig } from 'vitest/config';
import { maxWorkers } from '../../vitest.shared.ts';

export default defineConfig({
  test: {
    name: 'server',
    maxWorkers,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: './test/support/global-setup.ts',
    // As the server does: most test files load drizzle, too.
    execArgv: ['--import', import.meta.resolve('./src/resolve-drizzle.ts')],
    // Each file starts servers and databases; on a small machine that takes a while.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
