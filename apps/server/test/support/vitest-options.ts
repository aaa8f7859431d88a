import type { InlineConfig } from 'vitest/node';

/** The vitest options for tests that open the service, in this process or in another process. */
export const serviceOptions: InlineConfig = {
  globalSetup: `${import.meta.dirname}/global-setup.ts`,
  execArgv: [
    // Most test files open the embedded database, which is WebAssembly. With this option, it starts
    // faster, because the optimizing compiler is off.
    '--liftoff-only',
    // The hook makes loading drizzle faster, as in the server. Most test files load drizzle.
    ...['--import', `${import.meta.dirname}/../../src/resolve-drizzle.ts`],
  ],
};
