import type { InlineConfig } from 'vitest/node';

/** The vitest options for tests that open the service, in this process or in another process. */
export const serviceOptions: InlineConfig = {
  globalSetup: `${import.meta.dirname}/global-setup.ts`,
  execArgv: [
    // Most test files open the embedded database, which is a WebAssembly module. This option
    // switches off the optimizing compiler, so the module starts faster.
    '--liftoff-only',
    // Most test files load drizzle. This hook makes loading drizzle faster, as in the server.
    ...['--import', `${import.meta.dirname}/../../src/resolve-drizzle.ts`],
  ],
};
