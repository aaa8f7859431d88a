import { expect, test } from 'vitest';
import { formatTable } from './format-table.ts';

test('formatTable aligns columns by the number of terminal cells that the text in each cell takes', () => {
  // In a terminal, Chinese characters, full-width signs and emoji take two cells. Half-width kana
  // and letters with accents take one cell, and zero-width joiners take none.
  const names = ['Ann', '李', '！？', 'ｱｲｳ', '🐈', 'e\u0301', 'a\u200db'];
  const table = formatTable(names, { Name: (name) => name, End: () => '|' });
  expect(table).toBe(
    [
      'Name  End',
      'Ann   |',
      '李    |',
      '！？  |',
      'ｱｲｳ   |',
      '🐈    |',
      'e\u0301     |',
      'a\u200db    |',
      '',
    ].join('\n'),
  );
});
