// Prints one script that has all modules of the console. It is a process of its own: Node is told not to warn that it
// removes types as an experiment, and the service neither waits for it nor keeps its 45 MB.
//
// It is no bundler for any code. It knows the forms of `import` and `export` that the console, the contract's data and
// the libraries below have, and leaves others as they are: a script that has one does not compile. The linter sees to
// it that no module imports itself over others.

import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';

/** What is no module, or only in a form that is not minified and twice as large: its file, and what it gives. */
const scripts: Readonly<Record<string, { readonly file: string; readonly value: string }>> = {
  papaparse: { file: 'papaparse/papaparse.min.js', value: 'module.exports' },
  uplot: { file: 'uplot/dist/uPlot.iife.min.js', value: 'uPlot' },
};

const done = new Set<string>();
/** In the order in which modules run: each after those that it imports. */
const parts = ['const modules = {};\n'];

addModule(new URL('../src/start-console.ts', import.meta.url).href);
process.stdout.write(parts.join(''));

function addPart(name: string, code: string, exported: readonly string[]): void {
  const values = `return { ${exported.join(', ')} };`;
  parts.push(`\nmodules['${name}'] = (() => {\n${code}\n${values}\n})();\n`);
}

/** Adds what a module imports, and the module, and gives the expression that stands for it. */
function addImported(specifier: string, importer: string): string {
  const script = scripts[specifier];
  if (script === undefined) {
    // From here, also what a library imports: the console depends on it.
    const isRelative = specifier.startsWith('.');
    return addModule(
      isRelative ? new URL(specifier, importer).href : import.meta.resolve(specifier),
    );
  }
  if (!done.has(specifier)) {
    done.add(specifier);
    const code = readFileSync(new URL(import.meta.resolve(script.file)), 'utf8');
    const around = 'const module = { exports: {} }, { exports } = module;\n';
    addPart(specifier, around + code, [`default: ${script.value}`]);
  }
  return `modules['${specifier}']`;
}

function addModule(url: string): string {
  // From the root of the workspace or of the packages: the same on every machine.
  const name = url.replace(/^.*\/node_modules\/|^.*\/(?=apps\/|packages\/)/, '');
  const expression = `modules['${name}']`;
  if (done.has(name)) return expression;
  done.add(name);
  const text = readFileSync(new URL(url), 'utf8');
  // The source maps of libraries are not served.
  const source = url.endsWith('.ts')
    ? stripTypeScriptTypes(text)
    : text.replace(/^\/\/# sourceMappingURL=.*/m, '');
  const exported: string[] = [];
  const code = source
    .replaceAll(
      /(?<=^|[;}])import ?(?:(\w+),? ?)?(?:\{([^}]*)\})? ?from ?["']([^"']+)["'];?/gm,
      (_, whole: string | undefined, some: string | undefined, specifier: string) => {
        const names = [whole && `default: ${whole}`, some?.replaceAll(' as ', ': ')];
        const from = addImported(specifier, url);
        return `const { ${names.filter((text) => text !== undefined).join(', ')} } = ${from};`;
      },
    )
    .replaceAll(
      /export ?\{([^}]*)\}(?: ?from ?["']([^"']+)["'])?;?/g,
      (_, names: string, specifier: string | undefined) => {
        const from = specifier === undefined ? '' : `${addImported(specifier, url)}.`;
        for (const pair of names.split(',')) {
          const [own = '', given = own] = pair.trim().split(' as ');
          exported.push(`${given}: ${from}${own}`);
        }
        return '';
      },
    )
    .replaceAll(
      /^export (?=(?:(?:async )?function|const|class) (\w+))/gm,
      (_, declared: string) => {
        exported.push(declared);
        return '';
      },
    )
    .replaceAll(/(?<=^|[;}])export default /gm, () => {
      exported.push('default: defaultExport');
      return 'const defaultExport = ';
    });
  addPart(name, code, exported);
  return expression;
}
