import { registerHooks } from 'node:module';

/** Its CommonJS build ends in `.cjs`. */
const drizzleModule = /\/node_modules\/drizzle-orm\/.*\.js$/;

/**
 * Tells Node what drizzle's modules are, when they import each other: ES modules, all of them.
 *
 * To find that out by itself, Node 24 takes drizzle's package.json apart anew for each of more than
 * a hundred modules; its list of exports has 130 kB. That is half of the time that a start spends on
 * loading code. To be imported before anything that imports drizzle.
 */
registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL } = context;
    if (!specifier.startsWith('.') || parentURL === undefined || !drizzleModule.test(parentURL)) {
      return nextResolve(specifier, context);
    }
    return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true };
  },
});
