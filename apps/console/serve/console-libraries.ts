import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of a library, as browsers get it. */
export interface LibraryFile {
  /** Its name below the console's path. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** The libraries that the console imports by name, and where they are installed. */
const libraries: Readonly<Record<string, string>> = {
  preact: import.meta.resolve('preact'),
  'preact/hooks': import.meta.resolve('preact/hooks'),
  '@preact/signals': import.meta.resolve('@preact/signals'),
  '@preact/signals-core': import.meta.resolve('@preact/signals-core'),
  htm: import.meta.resolve('htm'),
  'htm/preact': import.meta.resolve('htm/preact'),
};

/** Plain data of the contract. It keeps its folders, so that its imports of each other hold. */
const contractFiles = [
  'admin/account-name.ts',
  'admin/admin-routes.ts',
  'deprecations.ts',
  'plan.ts',
  'routes.ts',
];

const fileNameOf = (specifier: string) => `lib/${specifier.replaceAll(/\W+/g, '-')}.js`;

/** Which file each module is in, for the import map. */
export const libraryNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [...Object.keys(libraries), 'papaparse', 'uplot'].map((specifier) => [
      specifier,
      fileNameOf(specifier),
    ]),
  ),
  '@animal-store/contract/admin/account-name': 'lib/contract/admin/account-name.ts',
  '@animal-store/contract/admin/routes': 'lib/contract/admin/admin-routes.ts',
  '@animal-store/contract/deprecations': 'lib/contract/deprecations.ts',
  '@animal-store/contract/plan': 'lib/contract/plan.ts',
};

/** Reads the libraries from where they are installed. */
export function readLibraries(): LibraryFile[] {
  // uPlot is a module only in a form that is not minified, and twice as large; Papa Parse is none at all.
  const { resolve } = createRequire(import.meta.url);
  const uplot = dirname(resolve('uplot'));
  const plot = readFileSync(join(uplot, 'uPlot.iife.min.js'), 'utf8');
  const papaparse = join(dirname(resolve('papaparse')), 'papaparse.min.js');
  const csv = `const module = { exports: {} };\nconst { exports } = module;\n${readFileSync(papaparse, 'utf8')}`;
  const contract = new URL('./', import.meta.resolve('@animal-store/contract'));
  return [
    ...Object.entries(libraries).map(([specifier, url]) => ({
      name: fileNameOf(specifier),
      bytes: readFileSync(fileURLToPath(url)),
    })),
    ...contractFiles.map((path) => ({
      name: `lib/contract/${path}`,
      bytes: readFileSync(new URL(path, contract)),
    })),
    { name: fileNameOf('uplot'), bytes: Buffer.from(`${plot}\nexport default uPlot;\n`) },
    {
      name: fileNameOf('papaparse'),
      bytes: Buffer.from(`${csv}\nexport default module.exports;\n`),
    },
    { name: 'lib/uplot.css', bytes: readFileSync(join(uplot, 'uPlot.min.css')) },
  ];
}
