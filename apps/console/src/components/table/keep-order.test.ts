import { expect, test } from 'vitest';
import { keepOrder } from './keep-order.ts';

test('keepOrder keeps known rows in their order without gaps, and appends new rows in the order of the service', () => {
  const kept = keepOrder(['a', 'gone', 'b', 'c'], ['y', 'c', 'a', 'x', 'b'], (id) => id);
  expect(kept).toEqual(['a', 'b', 'c', 'y', 'x']);
});
