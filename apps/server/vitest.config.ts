import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configureTests } from '../../vitest.shared.ts';

/** `npm run test:all` repeats them with other databases or faults: what they call `…OfThisRun`. */
const differently = globSync('test/*/*.test.ts', { cwd: import.meta.dirname }).filter((file) =>
  readFileSync(join(import.meta.dirname, file), 'utf8').includes('OfThisRun'),
);

export default configureTests(
  'server',
  {
    globalSetup: './test/support/global-setup.ts',
    execArgv: [
      // As `npm start` does: most test files open the embedded database, whose code is WebAssembly.
      '--liftoff-only',
      // As the server does: most test files load drizzle, too.
      ...['--import', import.meta.resolve('./src/resolve-drizzle.ts')],
    ],
  },
  differently,
);
