import type { InlineConfig } from 'vitest/node';

/** Of tests that open the service, in this process or another. */
export const serviceOptions: InlineConfig = {
  globalSetup: `${import.meta.dirname}/global-setup.ts`,
  execArgv: [
    // As `npm start` does: most test files open the embedded database, whose code is WebAssembly.
    '--liftoff-only',
    // As the server does: most test files load drizzle, too.
    ...['--import', `${import.meta.dirname}/../../src/resolve-drizzle.ts`],
  ],
};
