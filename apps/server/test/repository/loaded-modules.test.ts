import { expect, test } from 'vitest';
import { importsOf, loadedBy } from './source-imports.ts';

const main = 'apps/server/src/main.ts';

test.each([
  {
    program: 'the service',
    // The modules that `main.ts` imports dynamically are also loaded at each start.
    entries: [main, ...importsOf(main).map(({ to }) => to)],
    loads: 'express',
    not: /^(@opentelemetry\/|@electric-sql\/|postgres$)/,
  },
  {
    program: 'a command',
    entries: ['apps/cli/src/cli.ts'],
    loads: 'packages/runtime/src/index.ts',
    not: /^(apps\/server|packages\/(postgres|quotas))\/|^(express|ioredis|drizzle-orm|pino)$/,
  },
  {
    program: 'the console in a browser',
    entries: ['apps/console/src/start-console.tsx'],
    loads: 'packages/contract/src/plan.ts',
    not: /^(zod|@ts-rest\/|node:)/,
  },
])(
  '$program loads no modules of other programs or of optional features when it starts',
  ({ entries, loads, not }) => {
    const loaded = loadedBy(...entries);
    expect(loaded).toContain(loads);
    expect(loaded.filter((it) => not.test(it))).toEqual([]);
  },
);

// Regression: `main.ts` imported the banner, which loads drizzle. Process 1 of a container ignored
// a signal in this time, which was half a second without a compile cache.
test.each([main, 'apps/server/src/migrate.ts'])(
  '%s loads no large module before it handles signals',
  (program) => {
    const loaded = loadedBy(program);
    expect(loaded).toContain('packages/runtime/src/stop-on-signals.ts');
    const small = /^(apps\/server\/|packages\/runtime\/|node:)/;
    expect(loaded.filter((it) => !small.test(it))).toEqual([]);
  },
);
