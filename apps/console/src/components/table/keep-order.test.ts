import { expect, test } from 'vitest';
import { keepOrder } from './keep-order.ts';

test('keepOrder removes rows that no longer exist, keeps the order of the others, and appends new rows in the order of the response', () => {
  const kept = keepOrder(['a', 'gone', 'b', 'c'], ['y', 'c', 'a', 'x', 'b'], (id) => id);
  expect(kept).toEqual(['a', 'b', 'c', 'y', 'x']);
});
