import { expect, test } from 'vitest';
import { formatTable } from './format-table.ts';

test('a table aligns its columns by the cells that a terminal needs for a text', () => {
  // Two cells: Han, full-width signs, emoji. One: half-width kana, letters with marks. None: joiners.
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
