import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// `npm test` does not install these packages, because they are larger than everything else
// together. They have a package of their own, because three of them install a command named `node`,
// which would run the scripts of every package that depends on them.

/** Paths of the executables of other JavaScript runtimes. */
export const runtimes = {
  'Node 20': pathIn('node20', 'bin/node'),
  'Node 22': pathIn('node22', 'bin/node'),
  'Node 24': pathIn('node24', 'bin/node'),
  Deno: pathIn('deno', 'deno'),
  Bun: pathIn('bun', 'bin/bun.exe'),
  workerd: pathIn('workerd', 'bin/workerd'),
};

/** Paths of modules, commands and files. */
export const tools = {
  /** The module of `checkPackage`. */
  areTheTypesWrong: pathIn('@arethetypeswrong/core', 'dist/index.js'),
  /** A script for browsers, which finds accessibility problems. */
  axe: pathIn('axe-core', 'axe.min.js'),
  /** A command for Node, which writes the SQL of migrations. */
  drizzleKit: pathIn('drizzle-kit', 'bin.cjs'),
  /** A CommonJS module: a bundler. */
  esbuild: pathIn('esbuild', 'lib/main.js'),
  /** A command for Node, which writes a TypeScript client from an OpenAPI document. */
  heyApi: pathIn('@hey-api/openapi-ts', 'bin/run.js'),
  /** Another such command. */
  orval: pathIn('orval', 'dist/bin/orval.mjs'),
  /** A command for Node, which writes TypeScript types from an OpenAPI document. */
  openapiTypescript: pathIn('openapi-typescript', 'bin/cli.js'),
  /** A command for Node: the oldest TypeScript that the published client supports. */
  typescript54: pathIn('typescript54', 'bin/tsc'),
  /** A command for Node: the oldest TypeScript that the published contract supports. */
  typescript59: pathIn('typescript59', 'bin/tsc'),
  /** A folder: the types of the oldest Node that the published packages support. */
  typesOfNode20: pathIn('@types/node20', ''),
  /** A module: a bundler. */
  rollup: pathIn('rollup', 'dist/es/rollup.js'),
  /** CommonJS modules of Spectral and its rules. */
  spectral: pathIn('@stoplight/spectral-core', 'dist/index.js'),
  spectralRulesets: pathIn('@stoplight/spectral-rulesets', 'dist/index.js'),
  spectralOwasp: pathIn('@stoplight/spectral-owasp-ruleset', 'dist/ruleset.js'),
};

function pathIn(name: string, path: string): string {
  const folder = new URL(`../node_modules/${name}/`, import.meta.url);
  if (!existsSync(folder)) {
    throw new Error(`${name} is not installed. Install it: node scripts/install.mjs all`);
  }
  return fileURLToPath(new URL(path, folder));
}
