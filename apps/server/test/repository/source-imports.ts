import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repository } from '@animal-store/testkit';
import { parseAst } from 'rolldown/parseAst';

export interface Import {
  /** The imported file of the workspace, or the name of an external package. */
  readonly to: string;
  readonly kind: 'type' | 'static' | 'dynamic';
}

export const readSource = (file: string) => readFileSync(join(repository, file), 'utf8');

/** Returns the source files in a folder, without tests. */
export const sourcesOf = (folder: string): string[] =>
  globSync('**/*.{ts,tsx}', { cwd: join(repository, folder), exclude: ['**/*.test*'] }).map(
    (file) => join(folder, file),
  );

/**
 * Returns everything that a source file imports: by `import`, by `export … from`, by `import()`,
 * and types by `import('…')`.
 */
export function importsOf(file: string): Import[] {
  const found: Import[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, source, importKind, exportKind } = node as Record<string, unknown>;
    const to = (source as { value?: unknown } | null | undefined)?.value;
    if (typeof to === 'string') {
      const isType = type === 'TSImportType' || importKind === 'type' || exportKind === 'type';
      const kind = isType ? 'type' : type === 'ImportExpression' ? 'dynamic' : 'static';
      found.push({ to: resolve(file, to), kind });
    }
    for (const part of Object.values(node)) visit(part);
  };
  visit(parseAst(readSource(file), { lang: file.endsWith('x') ? 'tsx' : 'ts' }));
  return found;
}

/**
 * Returns the file to which an import specifier leads. For a package of the workspace, the function
 * uses the `exports` in its package.json.
 */
function resolve(from: string, to: string): string {
  if (to.startsWith('.')) return join(dirname(from), to);
  const [, name = '', subpath = ''] = /^@animal-store\/([\w-]+)(.*)$/.exec(to) ?? [];
  const manifest = ['apps', 'packages']
    .map((folder) => join(folder, name, 'package.json'))
    .find((file) => name !== '' && existsSync(join(repository, file)));
  if (manifest === undefined) return to;
  return join(dirname(manifest), JSON.parse(readSource(manifest)).exports[`.${subpath}`]);
}

/** Returns all files and external packages that are loaded when these files are imported. */
export function loadedBy(...files: string[]): string[] {
  const loaded = new Set(files);
  for (const file of loaded) {
    if (!/\.tsx?$/.test(file)) continue;
    for (const { to, kind } of importsOf(file)) if (kind === 'static') loaded.add(to);
  }
  return [...loaded];
}
