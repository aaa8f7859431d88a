import { expect, test } from 'vitest';
import { type Mark, moveMark, placesOf } from './plot-mark.ts';

const count = 60;
const press = (mark: Mark | undefined, ...keys: string[]) =>
  keys.reduce<Mark | undefined>(
    (now, key) =>
      moveMark(now, { key: key.replace('Shift+', ''), shiftKey: key.startsWith('Shift+'), count }),
    mark,
  );

test('the first key chooses the latest bucket, and further ones move from there', () => {
  expect(press(undefined, 'ArrowLeft')).toMatchObject({ index: 59 });
  expect(press(undefined, 'ArrowLeft', 'ArrowLeft', 'ArrowLeft')).toMatchObject({ index: 57 });
  expect(press(undefined, 'Home', 'ArrowRight')).toMatchObject({ index: 1 });
});

test('no key leaves the plot', () => {
  expect(press(undefined, 'End', 'ArrowRight', 'PageUp')).toMatchObject({ index: 59 });
  expect(press(undefined, 'End', 'Home', 'PageDown', 'ArrowLeft')).toMatchObject({ index: 0 });
});

test('with Shift the choice grows in both directions, and without it there is one bucket again', () => {
  const several = press(undefined, 'End', 'PageDown', 'Shift+ArrowLeft', 'Shift+ArrowLeft');
  expect(several && placesOf(several, count)).toEqual({ first: 51, last: 53 });
  const other = press(several, 'Shift+ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowRight');
  expect(other && placesOf(other, count)).toEqual({ first: 53, last: 54 });
  const one = press(other, 'ArrowRight');
  expect(one && placesOf(one, count)).toEqual({ first: 55, last: 55 });
});

test('a mark of buckets that are gone shows the last one', () => {
  expect(placesOf({ index: 50, isByKeyboard: true }, 24)).toEqual({ first: 23, last: 23 });
  expect(placesOf({ index: 50, isByKeyboard: true }, 0)).toBeUndefined();
});
