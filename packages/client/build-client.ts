import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

// Builds `dist`: for each entry one file each of ESM, CommonJS and their declarations, which name nothing
// outside. The entries share no file, so that `testing` costs the main entry nothing.
//
// The declarations take two steps. The plugin would have TypeScript 7 emit them itself, but only for
// files below this folder; the contract's types are not. So `tsc` emits both packages' declarations,
// without the schemas (`stripInternal`), and the plugin makes one file of them. `tsc` emits only what
// it did not find in `node_modules`, hence `paths` in `tsconfig.build.json`.

const entries = { index: 'index', testing: 'testing/index' };

process.chdir(import.meta.dirname);
rmSync('dist', { recursive: true, force: true });
const declarations = mkdtempSync(join(tmpdir(), 'animal-store-client-'));
try {
  emitDeclarations();
  for (const [name, source] of Object.entries(entries)) {
    await bundleDeclarations(name, source);
    await bundleCode(name, source);
  }
} finally {
  rmSync(declarations, { recursive: true });
}

/** Also type-checks the sources without Node's types: they must run in browsers and workers. */
function emitDeclarations(): void {
  const { status } = spawnSync(
    'tsc',
    ['-p', 'tsconfig.build.json', '--singleThreaded', '--outDir', declarations],
    {
      stdio: 'inherit',
    },
  );
  if (status !== 0) throw new Error('tsc failed');
}

async function bundleDeclarations(name: string, source: string): Promise<void> {
  const contract: Plugin = {
    name: 'contract-declarations',
    resolveId: {
      order: 'pre',
      handler: (id) =>
        id === '@animal-store/contract' ? join(declarations, 'contract/src/index.d.ts') : undefined,
    },
  };
  await using bundle = await rolldown({
    input: { [name]: join(declarations, `client/src/${source}.d.ts`) },
    external: [/^@ts-rest\//, /^zod(?:\/|$)/],
    // The generator is unused, as the input is declarations already; `oxc` only asks for the least.
    plugins: [
      contract,
      dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false, generator: 'oxc' }),
    ],
  });
  await bundle.write({ dir: 'dist', entryFileNames: '[name].ts' });
  await bundle.write({ dir: 'dist', entryFileNames: '[name].cts' });
}

async function bundleCode(name: string, source: string): Promise<void> {
  await using bundle = await rolldown({
    input: `src/${source}.ts`,
    platform: 'neutral',
    transform: { target: 'es2022' },
    treeshake: { propertyReadSideEffects: false },
  });
  // Compressed, but with the names kept: not every bundler compresses this well.
  const minify = { compress: true, mangle: false, codegen: false };
  // The source maps hold the sources, which are not in the package.
  await bundle.write({ file: `dist/${name}.js`, format: 'esm', minify, sourcemap: true });
  await bundle.write({ file: `dist/${name}.cjs`, format: 'cjs', minify, sourcemap: true });
}
