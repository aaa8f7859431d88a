import { expect, test } from 'vitest';
import { keepOrder } from './keep-order.ts';

test('rows keep their places without gaps, and new ones come last, in the order of the service', () => {
  const kept = keepOrder(['a', 'gone', 'b', 'c'], ['y', 'c', 'a', 'x', 'b'], (id) => id);
  expect(kept).toEqual(['a', 'b', 'c', 'y', 'x']);
});
