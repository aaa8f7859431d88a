import { configureTests } from '../../vitest.shared.ts';

export default configureTests('server', {
  globalSetup: './test/support/global-setup.ts',
  // As the server does: most test files load drizzle, too.
  execArgv: ['--import', import.meta.resolve('./src/resolve-drizzle.ts')],
});
