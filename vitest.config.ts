import { defineConfig } from 'vitest/config';

/** For a developer: one file of any package, as in `vitest run pagination`. `npm test` does not use it. */
export default defineConfig({ test: { projects: ['packages/*', 'apps/*', 'examples'] } });
