import { registerHooks } from 'node:module';

// Preloaded, it lets the service count nothing, so that the cost of the usage ledger can be measured.
registerHooks({
  load(url, context, next) {
    if (!url.endsWith('/usage/open-usage.ts')) return next(url, context);
    return {
      format: 'module',
      shortCircuit: true,
      source: `
        import { openUsage as open } from './open-usage.ts?counting';
        export const openUsage = (options) => ({ ...open(options), count: () => 'ok' });`,
    };
  },
});
