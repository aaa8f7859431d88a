import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file that tsdown has written. */
interface WrittenFile {
  readonly fileName: string;
  readonly outDir: string;
}

/**
 * The formats of a published package, for the option `format` of tsdown: ES modules and CommonJS.
 *
 * tsdown would run the compiler again for the declarations of the CommonJS modules. These
 * declarations differ only in the names of the files that they import, so they are written as
 * copies. Emitting declarations is most of the CPU time of a build.
 */
export const formatsDeclaredOnce = {
  esm: { hooks: { 'build:done': copyDeclarations } },
  cjs: { dts: false },
} as const;

/**
 * Writes a `.d.cts` file next to each `.d.ts` file, and removes the reference to a source map of
 * declarations, which tsdown writes even if there is no such map.
 */
async function copyDeclarations({ chunks }: { chunks: readonly WrittenFile[] }): Promise<void> {
  const declarations = chunks.filter(({ fileName }) => fileName.endsWith('.d.ts'));
  for (const { fileName, outDir } of declarations) {
    const path = join(outDir, fileName);
    const copy = path.replace(/\.d\.ts$/, '.d.cts');
    const declaration = (await readFile(path, 'utf8')).replace(/\n\/\/# sourceMappingURL=.*$/, '');
    await writeFile(path, declaration);
    await writeFile(copy, importCommonJs(declaration));
  }
}

/** Replaces the extension in the imports of other files of the package. */
function importCommonJs(declarations: string): string {
  return declarations.replace(/(\b(?:from|import)[ (]*["']\.[^"'\n]*)\.js(?=["'])/g, '$1.cjs');
}
