import { type ResolveFnOutput, registerHooks } from 'node:module';

/** Matches the files of drizzle's ES build. The CommonJS build has the extension `.cjs`. */
const drizzleModule = /\/node_modules\/drizzle-orm\/.*\.js$/;
const drizzleEntry = /^drizzle-orm(\/|$)/;
const entries = new Map<string, ResolveFnOutput>();

/**
 * Registers a hook that resolves drizzle's modules. It reads drizzle's package.json only for the
 * first import of each entry point.
 *
 * The list of exports in package.json has 130 kB. Node 26 parses the list for each import of an
 * entry point, and for each of more than a hundred modules, only to learn that these modules are ES
 * modules. Parsing takes 0.4 s of the 1.1 s in which the server loads its code. This module must be
 * imported before any module that imports drizzle.
 */
registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL, conditions } = context;
    if (drizzleEntry.test(specifier) && conditions.includes('import')) {
      // The server has only one version of drizzle, so all importers get the same module.
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
