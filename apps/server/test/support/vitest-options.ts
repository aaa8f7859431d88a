import type { InlineConfig } from 'vitest/node';

/** Options for tests that open the service, in this process or another. */
export const serviceOptions: InlineConfig = {
  globalSetup: `${import.meta.dirname}/global-setup.ts`,
  execArgv: [
    // Most test files open the embedded database, whose code is WebAssembly. It starts faster
    // without the optimizing compiler.
    '--liftoff-only',
    // The server imports the same module. Most test files load drizzle, too.
    ...['--import', `${import.meta.dirname}/../../src/resolve-drizzle.ts`],
  ],
};
