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
  // The first key press selects the latest bucket.
  ['ArrowLeft', [59, 59]],
  ['ArrowLeft ArrowLeft ArrowLeft', [57, 57]],
  ['Home ArrowRight', [1, 1]],
  // No key press moves the selection out of the plot.
  ['End ArrowRight PageUp', [59, 59]],
  ['End Home PageDown ArrowLeft', [0, 0]],
  // With Shift, the selection grows in both directions. Without it, one bucket is selected again.
  ['End PageDown Shift+ArrowLeft Shift+ArrowLeft', [51, 53]],
  ['End PageDown Shift+ArrowLeft Shift+ArrowRight Shift+ArrowRight', [53, 54]],
  ['End PageDown Shift+ArrowLeft ArrowRight', [53, 53]],
])('%s selects the buckets %j', (keys, [first, last]) => {
  const mark = press(keys);
  expect(mark && placesOf(mark, count)).toEqual({ first, last });
});

test('a selection of removed buckets becomes the last bucket', () => {
  expect(placesOf({ index: 50, isByKeyboard: true }, 24)).toEqual({ first: 23, last: 23 });
  expect(placesOf({ index: 50, isByKeyboard: true }, 0)).toBeUndefined();
});
