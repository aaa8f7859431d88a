import { registerHooks } from 'node:module';

// Preloaded, it lets the service run its statements through pg, pipelined, instead of postgres.js, so
// that the price of the other driver can be measured. It still migrates and listens through postgres.js.
registerHooks({
  resolve(specifier, context, next) {
    // Of the drizzle that the service has, with the pg that the benchmark has.
    return next(specifier, {
      ...context,
      ...(specifier === 'pg' && { parentURL: import.meta.url }),
    });
  },
  load(url, context, next) {
    if (!url.endsWith('/database/open-postgres.ts')) return next(url, context);
    return {
      format: 'module',
      shortCircuit: true,
      source: `
        import { drizzle } from 'drizzle-orm/node-postgres';
        import { PipelinedPool } from ${JSON.stringify(import.meta.resolve('./pipelined-pool.ts'))};
        import { openPostgres as open } from './open-postgres.ts?postgres-js';
        export function openPostgres(url, timings) {
          const database = open(url, timings);
          const client = new PipelinedPool(url);
          return {
            ...database,
            db: drizzle({ client }),
            close: () => Promise.all([client.end(), database.close()]),
          };
        }`,
    };
  },
});
