// Copies the example programs of this folder to the places where readers see them. They are shown
// in the guides of /docs and in the OpenAPI document. In a guide, a code block names its program,
// as in ```python guides/wait-after-429.py. Run this file with `npm run programs`.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const guides = join(root, 'apps/docs/content/guides');
const operationPrograms = join(root, 'packages/contract/src/openapi/operation-programs.ts');

/**
 * The address in the example programs. In the guides and the OpenAPI document, it is replaced by
 * the address of the service.
 */
const localBaseUrl = 'http://127.0.0.1:3000/v1';

/**
 * The kind of each program by its file extension, in the order in which the OpenAPI document lists
 * them.
 */
const kinds = { sh: 'curl', ts: 'client', mjs: 'fetch', py: 'python', go: 'go' };

/** The programs of each operation, by the name of the operation. */
const operations = {
  listPets: 'list-pets',
  createPet: 'create-pet',
  getPet: 'get-pet',
  getRateLimit: 'get-rate-limit',
  listOrders: 'list-orders',
};

/** Returns every file that shows example programs, with the text that it should have. */
export function filesWithPrograms(): Record<string, string> {
  const pages = readdirSync(guides).map((name) => join(guides, name));
  return {
    ...Object.fromEntries(pages.map((page) => [page, withPrograms(readFileSync(page, 'utf8'))])),
    [operationPrograms]: operationsModule(),
  };
}

const readProgram = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');

/** Inserts the example programs into the code blocks of a guide. */
function withPrograms(markdown: string): string {
  return markdown.replaceAll(
    /^(```\w+ (\S+\.\w+)\n)[\s\S]*?^```$/gm,
    (_, head: string, name: string) =>
      `${head}${readProgram(name).replaceAll(localBaseUrl, '{{baseUrl}}')}\`\`\``,
  );
}

/**
 * Generates a module with the programs of the operations. The contract imports the module. It
 * cannot read files, because it also runs where no files exist, such as in a browser.
 */
function operationsModule(): string {
  const entries = Object.entries(operations).map(([operation, name]) => {
    const programs = Object.entries(kinds).map(
      ([extension, kind]) =>
        `    ${kind}: \`${escaped(readProgram(`operations/${name}.${extension}`))}\`,\n`,
    );
    return `  ${operation}: {\n${programs.join('')}  },\n`;
  });
  return `// \`npm run programs\` writes this file from the programs in examples/operations. Edit those programs.

/** The base URL in the programs. The API reference replaces it by the URL of the service. */
export const programsBaseUrl = '${localBaseUrl}';

/** The programs that call each operation, indexed by the name of the operation and by their kind. */
export const operationPrograms = {
${entries.join('')}};
`;
}

/** Escapes a text for use in a template literal. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${');
}

if (import.meta.main) {
  for (const [file, text] of Object.entries(filesWithPrograms())) writeFileSync(file, text);
}
