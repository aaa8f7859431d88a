// Copies the programs of this folder to the places where readers see them. These are the guides of
// /docs, whose code blocks name a program (```python guides/wait-after-429.py), and the OpenAPI
// document. Run it by `npm run programs`.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const guides = join(root, 'apps/docs/content/guides');
const operationPrograms = join(root, 'packages/contract/src/openapi/operation-programs.ts');

/**
 * The address in the programs. The guides and the document show the address of the service instead.
 */
const localBaseUrl = 'http://127.0.0.1:3000/v1';

/** The name of each kind of program by its file extension, in the order of the document. */
const kinds = { sh: 'curl', ts: 'client', mjs: 'fetch', py: 'python', go: 'go' };

/** The operations with the names of their programs. */
const operations = {
  listPets: 'list-pets',
  createPet: 'create-pet',
  getPet: 'get-pet',
  getRateLimit: 'get-rate-limit',
  listOrders: 'list-orders',
};

/** Returns the files that show programs, with the text that they should have. */
export function filesWithPrograms(): Record<string, string> {
  const pages = readdirSync(guides).map((name) => join(guides, name));
  return {
    ...Object.fromEntries(pages.map((page) => [page, withPrograms(readFileSync(page, 'utf8'))])),
    [operationPrograms]: operationsModule(),
  };
}

const readProgram = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');

/** Inserts programs into the code blocks of a guide that name them. */
function withPrograms(markdown: string): string {
  return markdown.replaceAll(
    /^(```\w+ (\S+\.\w+)\n)[\s\S]*?^```$/gm,
    (_, head: string, name: string) =>
      `${head}${readProgram(name).replaceAll(localBaseUrl, '{{baseUrl}}')}\`\`\``,
  );
}

/**
 * Writes a module with the programs of the operations, because the contract is loaded where there
 * are no files.
 */
function operationsModule(): string {
  const entries = Object.entries(operations).map(([operation, name]) => {
    const programs = Object.entries(kinds).map(
      ([extension, kind]) =>
        `    ${kind}: \`${escaped(readProgram(`operations/${name}.${extension}`))}\`,\n`,
    );
    return `  ${operation}: {\n${programs.join('')}  },\n`;
  });
  return `// Written by \`npm run programs\` from examples/operations. Edit the programs there.

/** The address in the programs. */
export const programsBaseUrl = '${localBaseUrl}';

/** Programs that call an operation, by its name and their kind. */
export const operationPrograms = {
${entries.join('')}};
`;
}

/** Escapes a text for a template literal. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${');
}

if (import.meta.main) {
  for (const [file, text] of Object.entries(filesWithPrograms())) writeFileSync(file, text);
}
