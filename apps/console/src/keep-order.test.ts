import { expect, test } from 'vitest';
import { keepOrder } from './keep-order.ts';

const idOf = (id: string) => id;

test('rows stay where they are, although the service sorts them anew', () => {
  expect(keepOrder(['a', 'b', 'c'], ['c', 'a', 'b'], idOf)).toEqual(['a', 'b', 'c']);
});

test('new rows come last, in the order of the service', () => {
  expect(keepOrder(['a', 'b'], ['y', 'b', 'x', 'a'], idOf)).toEqual(['a', 'b', 'y', 'x']);
});

test('rows that are gone leave no gap', () => {
  expect(keepOrder(['a', 'b', 'c'], ['c', 'a'], idOf)).toEqual(['a', 'c']);
});
