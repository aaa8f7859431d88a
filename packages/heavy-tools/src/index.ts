import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// These large tools are in a workspace package of their own, for two reasons. First, `npm test`
// must not install them, because they are larger than all other packages together. Second, three of
// them install a command named `node`, which would run the scripts of every package that depends on
// them.

/** The paths of the executables of other JavaScript runtimes. */
export const runtimes = {
  'Node 20': pathIn('node20', 'bin/node'),
  'Node 22': pathIn('node22', 'bin/node'),
  'Node 24': pathIn('node24', 'bin/node'),
  Deno: pathIn('deno', 'deno'),
  Bun: pathIn('bun', 'bin/bun.exe'),
  workerd: pathIn('workerd', 'bin/workerd'),
};

/** The paths of large tools: modules, commands and files. */
export const tools = {
  /** A module that checks whether a package's types resolve in every kind of project. */
  areTheTypesWrong: pathIn('@arethetypeswrong/core', 'dist/index.js'),
  /** A browser script that finds accessibility problems in a page. */
  axe: pathIn('axe-core', 'axe.min.js'),
  /** The script of drizzle-kit, which Node runs, and which writes the SQL of migrations. */
  drizzleKit: pathIn('drizzle-kit', 'bin.cjs'),
  /** The bundler esbuild, as a CommonJS module. */
  esbuild: pathIn('esbuild', 'lib/main.js'),
  /**
   * The script of @hey-api/openapi-ts, which Node runs, and which creates a TypeScript client from
   * an OpenAPI document.
   */
  heyApi: pathIn('@hey-api/openapi-ts', 'bin/run.js'),
  /**
   * The script of Orval, which Node runs, and which creates a TypeScript client from an OpenAPI
   * document.
   */
  orval: pathIn('orval', 'dist/bin/orval.mjs'),
  /**
   * The script of openapi-typescript, which Node runs, and which creates TypeScript types from an
   * OpenAPI document.
   */
  openapiTypescript: pathIn('openapi-typescript', 'bin/cli.js'),
  /**
   * The compiler of the oldest TypeScript that the published client supports, as a script that Node
   * runs.
   */
  typescript54: pathIn('typescript54', 'bin/tsc'),
  /**
   * The compiler of the oldest TypeScript that the published contract supports, as a script that
   * Node runs.
   */
  typescript59: pathIn('typescript59', 'bin/tsc'),
  /** The folder with the types of the oldest Node that the published packages support. */
  typesOfNode20: pathIn('@types/node20', ''),
  /** A command for Node that runs a mock server from an OpenAPI document. */
  prism: pathIn('@stoplight/prism-cli', 'dist/index.js'),
  /** The bundler Rollup, as an ES module. */
  rollup: pathIn('rollup', 'dist/es/rollup.js'),
  /** The modules of the linter Spectral and of its rules, as CommonJS modules. */
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
