import { expect, test } from 'vitest';
import { toCsv } from './csv.ts';

const columns = {
  name: ({ name }: { name: string | null }) => name,
  requests: () => -3,
};

test('a file has a BOM, a header and a line for each row', () => {
  expect(toCsv([{ name: 'Zürich' }, { name: null }], columns)).toBe(
    '\ufeffname,requests\r\nZürich,-3\r\n,-3\r\n',
  );
});

// The last values are formulas: the separator is the comma, or the semicolon where the comma is the
// decimal mark.
test.each([
  ['a-b+c=d@e', 'a-b+c=d@e'],
  ['Ö, "1"\nx;y', '"Ö, ""1""\nx;y"'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(1)', "'@SUM(1)"],
  ['＝1+1', "'＝1+1"],
  ['\t=1', "'\t'=1"],
  ['x; =1+1;y', "x;' =1+1;y"],
  ['x;"=1+1"', '"x;\'""=1+1"""'],
  ['x\n=1+1', '"x\n\'=1+1"'],
])('%j is written as text', (name, cell) => {
  expect(toCsv([{ name }], columns)).toBe(`\ufeffname,requests\r\n${cell},-3\r\n`);
});
