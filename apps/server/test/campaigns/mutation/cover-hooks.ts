// The hooks report to Stryker that all tests of a file cover the code that its `beforeAll` runs,
// such as the start of a service. Otherwise Stryker would treat this code as executed at import and
// would not mutate it.

import { afterAll, beforeAll } from 'vitest';

type Hits = Record<string, number>;

type Coverage = { readonly static: Hits; readonly perTest: Record<string, Hits> };

const { __stryker__: stryker } = globalThis as { __stryker__?: { mutantCoverage?: Coverage } };
let atImport: Hits = {};

beforeAll(() => {
  atImport = { ...stryker?.mutantCoverage?.static };
});

// biome-ignore lint/correctness/noEmptyPattern: vitest reads which fixtures a hook wants from its first parameter
afterAll(({}, file) => {
  const coverage = stryker?.mutantCoverage;
  if (coverage === undefined) return;
  const tests = Object.entries(coverage.perTest)
    .filter(([testId]) => testId.startsWith(`${file.file.filepath}#`))
    .map(([, hits]) => hits);
  if (tests.length === 0) return;
  for (const [mutant, hits] of Object.entries(coverage.static)) {
    const before = atImport[mutant] ?? 0;
    if (hits === before) continue;
    for (const test of tests) test[mutant] = (test[mutant] ?? 0) + hits - before;
    if (before === 0) delete coverage.static[mutant];
    else coverage.static[mutant] = before;
  }
});
