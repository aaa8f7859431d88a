import { expect, test } from 'vitest';
import { takeActivity, watchOperator } from './operator-activity.ts';

test('takeActivity reports each key press, click or other input once, but not other events or the repeated events of a held key', () => {
  const page = new EventTarget();
  watchOperator(page);
  const isReported = (type: string, members = {}) => {
    page.dispatchEvent(Object.assign(new Event(type), members));
    return [takeActivity(), takeActivity()];
  };
  for (const type of ['pointerdown', 'click', 'input', 'wheel', 'touchmove']) {
    expect(isReported(type), type).toEqual([true, false]);
  }
  expect(isReported('keydown', { repeat: false })).toEqual([true, false]);
  expect(isReported('keydown', { repeat: true })).toEqual([false, false]);
  for (const type of ['pointermove', 'scroll', 'visibilitychange', 'focus']) {
    expect(isReported(type), type).toEqual([false, false]);
  }
});
