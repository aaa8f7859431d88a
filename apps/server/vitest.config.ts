import { configDefaults, defineConfig } from 'vitest/config';
import { maxWorkers } from '../../vitest.shared.ts';

/** What holds the service to a time: to 150 ms for Redis, to 1 s for a revoked key, to 2 s. */
export const alone = ['redis/redis-outage', 'keys/key-changes', 'database/database-outage'].map(
  (name) => `test/${name}.test.ts`,
);

export default defineConfig({
  test: {
    name: 'server',
    maxWorkers,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...alone],
    globalSetup: './test/support/global-setup.ts',
    // As the server does: most test files load drizzle, too.
    execArgv: ['--import', import.meta.resolve('./src/resolve-drizzle.ts')],
    // Each file starts servers and databases; on a small machine that takes a while.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
