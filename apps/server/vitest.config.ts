import { configureTests } from '../../vitest.shared.ts';

export default configureTests('server', {
  globalSetup: './test/support/global-setup.ts',
  execArgv: [
    // As `npm start` does: most test files open the embedded database, whose code is WebAssembly.
    '--liftoff-only',
    // As the server does: most test files load drizzle, too.
    ...['--import', import.meta.resolve('./src/resolve-drizzle.ts')],
  ],
});
