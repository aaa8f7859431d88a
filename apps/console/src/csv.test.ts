import { expect, test } from 'vitest';
import { toCsv } from './csv.ts';

const columns = {
  name: ({ name }: { name: string | null }) => name,
  requests: () => -3,
};
const rowOf = (name: string | null) => toCsv([{ name }], columns).split('\r\n').slice(1).join('|');

test('a file has a BOM, a header and a line for each row', () => {
  expect(toCsv([{ name: 'Zürich' }, { name: null }], columns)).toBe(
    '\ufeffname,requests\r\nZürich,-3\r\n,-3\r\n',
  );
  expect(toCsv([], columns)).toBe('\ufeffname,requests\r\n');
});

test.each([
  ['a-b+c=d@e', 'a-b+c=d@e'],
  ['Ö, "1"', '"Ö, ""1"""'],
  ['two\nlines; each', '"two\nlines; each"'],
  ['x;y', 'x;y'],
])('%j is a text as it is', (name, cell) => {
  expect(rowOf(name)).toBe(`${cell},-3|`);
});

// The separator is the comma, or the semicolon where the comma is the decimal mark.
test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(1)', "'@SUM(1)"],
  ['＝1+1', "'＝1+1"],
  ['\t=1', "'\t'=1"],
  ['x;=1+1;y', "x;'=1+1;y"],
  ['x; =1+1', "x;' =1+1"],
  ['x;"=1+1"', '"x;\'""=1+1"""'],
  ['x;y;@a;-b', "x;y;'@a;'-b"],
  ['x\n=1+1', '"x\n\'=1+1"'],
])('%j is no formula', (name, cell) => {
  expect(rowOf(name)).toBe(`${cell},-3|`);
});
