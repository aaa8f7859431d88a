import { expect, test } from 'vitest';
import { toCsv } from './csv.ts';

const columns = {
  name: ({ name }: { name: string | null }) => name,
  requests: () => -3,
};

test('toCsv writes a byte order mark, a header, and a line for each row', () => {
  expect(toCsv([{ name: 'Zürich' }, { name: null }], columns)).toBe(
    '\ufeffname,requests\r\nZürich,-3\r\n,-3\r\n',
  );
});

// The first two names are plain text. Each of the other names contains the start of a formula: in
// the first character, after a line break, or after a semicolon. A semicolon separates cells in
// locales with a decimal comma.
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
])(
  'toCsv writes the name %j so that a spreadsheet does not execute it as a formula',
  (name, cell) => {
    expect(toCsv([{ name }], columns)).toBe(`\ufeffname,requests\r\n${cell},-3\r\n`);
  },
);
