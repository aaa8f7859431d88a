import { expect, test } from 'vitest';
import { type Mark, moveMark, placesOf } from './plot-mark.ts';

const count = 60;
const press = (keys: string) =>
  keys
    .split(' ')
    .reduce<Mark | undefined>(
      (mark, key) =>
        moveMark(mark, { key: key.replace('Shift+', ''), shiftKey: key.includes('+'), count }),
      undefined,
    );

test.each([
  // When nothing is selected, any arrow key selects the latest bucket.
  ['ArrowLeft', [59, 59]],
  ['ArrowLeft ArrowLeft ArrowLeft', [57, 57]],
  ['Home ArrowRight', [1, 1]],
  // Key presses do not move the selection beyond the first or last bucket.
  ['End ArrowRight PageUp', [59, 59]],
  ['End Home PageDown ArrowLeft', [0, 0]],
  // Arrow keys with Shift grow or shrink the selection from its start. An arrow key without Shift
  // selects a single bucket again.
  ['End PageDown Shift+ArrowLeft Shift+ArrowLeft', [51, 53]],
  ['End PageDown Shift+ArrowLeft Shift+ArrowRight Shift+ArrowRight', [53, 54]],
  ['End PageDown Shift+ArrowLeft ArrowRight', [53, 53]],
])(
  'the key presses %s in a plot with the buckets 0 to 59 lead to a selection whose first and last buckets are %j',
  (keys, [first, last]) => {
    const mark = press(keys);
    expect(mark && placesOf(mark, count)).toEqual({ first, last });
  },
);

test('placesOf selects the last bucket when the selected bucket is no longer in the plot', () => {
  expect(placesOf({ index: 50, isByKeyboard: true }, 24)).toEqual({ first: 23, last: 23 });
  expect(placesOf({ index: 50, isByKeyboard: true }, 0)).toBeUndefined();
});
