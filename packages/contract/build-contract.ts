import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

// Builds `dist` for the published package: ESM, CommonJS and their declarations. Inside the workspace
// the package is imported from its sources.

const entries = ['index', 'admin/index', 'openapi/index'];
const external = [/^@ts-rest\//, /^zod(?:\/|$)/];

process.chdir(import.meta.dirname);
rmSync('dist', { recursive: true, force: true });
const declarations = mkdtempSync(join(tmpdir(), 'animal-store-contract-'));
try {
  emitDeclarations();
  await bundleDeclarations();
  await writeCode();
} finally {
  rmSync(declarations, { recursive: true });
}

/** With `tsc`, because the inferred types of the schemas need a type checker. */
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

async function bundleDeclarations(): Promise<void> {
  await using bundle = await rolldown({
    input: entriesIn(declarations, '.d.ts'),
    external,
    // The generator is unused, as the input is declarations already; `oxc` asks for the least.
    plugins: [dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false, generator: 'oxc' })],
  });
  for (const extension of ['ts', 'cts']) {
    const names = `[name].${extension}`;
    await bundle.write({ dir: 'dist', entryFileNames: names, chunkFileNames: names });
  }
}

/** One file for each module, so that bundlers leave out the schemas that nobody imports. */
async function writeCode(): Promise<void> {
  await using bundle = await rolldown({
    input: entriesIn('src', '.ts'),
    external,
    platform: 'neutral',
    transform: { target: 'es2022' },
  });
  for (const [format, extension] of [
    ['esm', 'js'],
    ['cjs', 'cjs'],
  ] as const) {
    await bundle.write({
      dir: 'dist',
      format,
      preserveModules: true,
      preserveModulesRoot: 'src',
      entryFileNames: `[name].${extension}`,
    });
  }
}

function entriesIn(folder: string, extension: string): Record<string, string> {
  return Object.fromEntries(entries.map((entry) => [entry, join(folder, entry + extension)]));
}
