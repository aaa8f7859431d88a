import { expect, test } from 'vitest';
import { changeEach } from './change-each.ts';

test('changeEach continues with the remaining changes when one change fails, and reports the failed change', async () => {
  const done: string[] = [];
  const seen: number[] = [];
  const left = await changeEach(
    ['a', 'b', 'c'],
    async (item) => {
      if (item === 'b') throw new Error('no');
      done.push(item);
    },
    ({ items }) => seen.push(items.length),
  );
  expect(done).toEqual(['a', 'c']);
  expect(left).toEqual({ items: ['b'], failures: [{ item: 'b', error: new Error('no') }] });
  expect(seen).toEqual([2, 2, 1]);
});
