import { type ResolveFnOutput, registerHooks } from 'node:module';

/** The modules of drizzle's ES build. The CommonJS build ends in `.cjs`. */
const drizzleModule = /\/node_modules\/drizzle-orm\/.*\.js$/;
const drizzleEntry = /^drizzle-orm(\/|$)/;
const entries = new Map<string, ResolveFnOutput>();

/**
 * Resolves drizzle's modules without its package.json, except for the first import of each entry.
 *
 * The list of exports there has 130 kB. Node 26 parses it for each import of an entry, and for each
 * of more than a hundred modules. It needs the list only to learn that these are ES modules. That
 * takes 0.4 s of 1.1 s that a start spends on loading code. Import this module before any that
 * imports drizzle.
 */
registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL, conditions } = context;
    if (drizzleEntry.test(specifier) && conditions.includes('import')) {
      // The server has one version of drizzle, so all importers get the same module.
      const entry = entries.get(specifier) ?? nextResolve(specifier, context);
      entries.set(specifier, entry);
      return { ...entry, shortCircuit: true };
    }
    if (!specifier.startsWith('.') || parentURL === undefined || !drizzleModule.test(parentURL)) {
      return nextResolve(specifier, context);
    }
    return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true };
  },
});
