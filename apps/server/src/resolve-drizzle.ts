import { type ResolveFnOutput, registerHooks } from 'node:module';

/** Its CommonJS build ends in `.cjs`. */
const drizzleModule = /\/node_modules\/drizzle-orm\/.*\.js$/;
const drizzleEntry = /^drizzle-orm(\/|$)/;
const entries = new Map<string, ResolveFnOutput>();

/**
 * Resolves drizzle's modules without its package.json, but for the first import of each entry.
 *
 * Node 24 parses the list of exports there, which has 130 kB, for each import of a package's entry, and for
 * each of its more than a hundred modules, to find out that they are ES modules. That is a third of
 * the time that a start would spend on loading code. To be imported before anything that imports drizzle.
 */
registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL, conditions } = context;
    if (drizzleEntry.test(specifier) && conditions.includes('import')) {
      // The server has one version of it, so all importers get the same module.
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
