import { expect, test } from 'vitest';
import { formatTable } from './format-table.ts';

test('formatTable aligns columns by the terminal cells of a text', () => {
  // Han, full-width signs and emoji take two cells, half-width kana and letters with marks one, and
  // joiners none.
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
