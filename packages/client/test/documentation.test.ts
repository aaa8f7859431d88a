import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageDirectory } from './consumer.ts';

const declarations = (
  await Promise.all(
    ['index', 'testing'].map((entry) =>
      readFile(join(packageDirectory, `dist/${entry}.d.ts`), 'utf8'),
    ),
  )
).join('');
const lines = declarations.split('\n');

/** A declaration, or a member of one: what an editor shows the comment of. */
const declaration =
  /^(?:declare (?:class|function|const)|interface|type| {2}(?:readonly |static )*["\w]+\??[(<:]) ?/;

test('every public declaration and member has a comment', () => {
  // Members of an interface or a class; what is in a type or a constant is described with it.
  let isMember = false;
  const without = lines.filter((line, index) => {
    if (/^\w/.test(line)) isMember = /^(?:interface|declare class)/.test(line);
    if (!declaration.test(line) || /^ {2}constructor/.test(line)) return false;
    return (isMember || !line.startsWith(' ')) && !lines[index - 1]?.endsWith('*/');
  });
  expect(lines.filter((line) => declaration.test(line)).length).toBeGreaterThan(100);
  expect(without).toEqual([]);
});

test.each([
  ...[
    'listPets',
    'eachPet',
    'createPet',
    'getPet',
    'rateLimit',
    'request',
    'withOptions',
    'withResponse',
  ],
  ...[
    'createTestService',
    'failNext',
    'toArray',
    'pages',
    'createClient',
    'isAnimalStoreError',
    'isApiError',
  ],
  ...Array.from(declarations.matchAll(/^declare class (\w+)/gm), ([, name = '']) => name),
])('%s has an example', (name) => {
  const at = declarations.search(
    new RegExp(`^(?: {2}${name}[(<]|declare (?:class|function) ${name}\\b)`, 'm'),
  );
  const before = declarations.slice(0, at);
  expect(before.slice(before.lastIndexOf('/**'))).toContain('@example');
});
