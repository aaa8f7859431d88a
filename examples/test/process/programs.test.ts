import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { filesWithPrograms } from '../../embed-programs.ts';

test('the guides and the OpenAPI document contain the current example programs', () => {
  const files = Object.entries(filesWithPrograms());
  expect(files.length).toBeGreaterThan(10);
  const stale = files.filter(([file, text]) => readFileSync(file, 'utf8') !== text);
  expect(
    stale.map(([file]) => file),
    'stale: run `npm run programs`, and commit what it writes',
  ).toEqual([]);
});

test('in the guides, every code block in a programming language names the example program that it shows', () => {
  const programs = Object.entries(filesWithPrograms()).flatMap(([file, text]) =>
    Array.from(text.matchAll(/^```(?:sh|ts|js|python|go)\b(.*)$/gm), ([, name]) => [file, name]),
  );
  expect(programs.length).toBeGreaterThan(25);
  expect(programs.filter(([, name]) => name === '')).toEqual([]);
});
