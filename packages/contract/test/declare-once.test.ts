import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@animal-store/testkit';
import { formatsDeclaredOnce } from '@animal-store/testkit/declare-once';
import { expect, test } from 'vitest';

// "Are the Types Wrong" finds no problem in declarations of CommonJS modules that import ES modules.
// But TypeScript reports such an import with `"module": "node16"` and without `skipLibCheck`.
test('the build writes declarations of CommonJS modules that import only CommonJS modules of the package', async () => {
  await using directory = await temporaryDirectory();
  const outDir = directory.path;
  const declarations = [
    "import { Pet } from './pet.js';",
    'export * from "../routes/index.js";',
    "export type Plan = import('./plan.js').Plan;",
    "import { z } from 'zod/v4/index.js';",
    'export { Pet, z };',
  ].join('\n');
  const path = join(outDir, 'index.d.ts');
  await writeFile(path, `${declarations}\n//# sourceMappingURL=index.d.ts.map`);
  const chunks = ['index.d.ts', 'index.js'].map((fileName) => ({ fileName, outDir }));
  await formatsDeclaredOnce.esm.hooks['build:done']({ chunks });
  expect(await readFile(path, 'utf8')).toBe(declarations);
  expect(await readFile(join(outDir, 'index.d.cts'), 'utf8')).toBe(
    [
      "import { Pet } from './pet.cjs';",
      'export * from "../routes/index.cjs";',
      "export type Plan = import('./plan.cjs').Plan;",
      "import { z } from 'zod/v4/index.js';",
      'export { Pet, z };',
    ].join('\n'),
  );
});
