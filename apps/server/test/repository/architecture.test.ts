import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { importsOf, readSource, sourcesOf } from './source-imports.ts';

// The tests check the imports between the folders of the server. `package.json` and `turbo
// boundaries` check the imports between packages.

/**
 * The folders ("rooms") of the server, with the other folders that each of them may import. A
 * folder may only import folders that are listed before it, so there are no cycles.
 */
const rooms = Object.entries({
  schema: '',
  quotas: '',
  replicas: 'schema',
  usage: 'schema',
  audit: 'schema',
  bans: 'audit schema',
  pets: 'schema',
  keys: 'audit bans quotas replicas schema usage',
  accounts: 'audit bans keys quotas replicas schema usage',
  operators: 'audit keys schema',
  api: 'keys pets quotas',
  overview: 'bans replicas schema usage',
  ops: 'accounts audit bans keys operators overview quotas schema usage',
}).map(([room, others]) => ({ room, others, allowed: others.split(' ').filter(Boolean) }));

const src = 'apps/server/src/';

test('the list of source folders contains every folder of the server, and each folder imports only folders that are listed before it', () => {
  const names = rooms.map(({ room }) => room);
  const entries = readdirSync(join(repository, src), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(folders.sort()).toEqual(names.toSorted());
  for (const [n, { allowed }] of rooms.entries())
    expect(names.slice(0, n)).toEqual(expect.arrayContaining(allowed));
});

test.each(rooms)(
  'the folder $room of the server imports no other folders than $others',
  ({ room, allowed }) => {
    const may = [room, ...allowed].map((name) => `${src}${name}/`);
    const ours = sourcesOf(src + room)
      .flatMap(importsOf)
      .filter(({ to }) => to.startsWith(src));
    expect(ours.filter(({ to }) => !may.some((folder) => to.startsWith(folder)))).toEqual([]);
  },
);

test('the server imports no CLI, client or testkit', () => {
  const forbidden = /^(apps\/cli|packages\/(client|testkit|heavy-tools))\//;
  expect(
    sourcesOf(src)
      .flatMap(importsOf)
      .filter(({ to }) => forbidden.test(to)),
  ).toEqual([]);
});

test.each([
  [
    'reads the time or starts timers',
    /\b(Date|performance)\.now\(|new Date\(\)|(?<!\.)\bset(Timeout|Interval)\(|timers\/promises/,
  ],
  ['handles signals or exits', /process\.(on|once|exit|kill)\b/],
])(
  'no file of the server %s directly, because the clock and the process object are passed as arguments',
  (_what, code) => {
    expect(sourcesOf(src).filter((file) => code.test(readSource(file)))).toEqual([]);
  },
);
