// @vitest-environment happy-dom

import type { IssuedSession } from '@animal-store/admin-contract';
import { fireEvent, screen } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderAt } from '../../../test/render-at.tsx';
import { session } from '../../api/session.ts';
import { linkWithPeriod, useTimeRange } from './time-range.ts';
import { TimeRangeControl } from './time-range-control.tsx';

function Page() {
  return (
    <>
      <TimeRangeControl range={useTimeRange()} />
      <a href={linkWithPeriod('key', { id: 'a/b' })}>a key</a>
    </>
  );
}

const tuesday = '#/overview?range=own&from=2026-03-03T00:00:00.000Z&to=2026-03-04T00:00:00.000Z';
// The service deletes old usage, so the periods that the control offers depend on the current time.
beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-03-20T12:00:00Z'), toFake: ['Date'] });
});
afterEach(() => {
  session.value = undefined;
  vi.useRealTimers();
});

const spanOf = (link: string) => {
  const query = new URLSearchParams(link.split('?')[1]);
  return [query.get('range'), query.get('from'), query.get('to')];
};

test.each([
  ['Earlier', ['2026-03-02T00:00:00.000Z', '2026-03-03T00:00:00.000Z']],
  ['Later', ['2026-03-04T00:00:00.000Z', '2026-03-05T00:00:00.000Z']],
  ['Zoom out', ['2026-03-02T00:00:00.000Z', '2026-03-05T00:00:00.000Z']],
])(
  'the button "%s" changes the start and the end of the period when one day is selected',
  (button, span) => {
    renderAt(tuesday, <Page />);
    fireEvent.click(screen.getByRole('button', { name: button }));
    expect(spanOf(location.hash)).toEqual(['own', ...span]);
  },
);

test('the period control replaces the selected start and end when the operator chooses a preset such as Last week', () => {
  renderAt(tuesday, <Page />);
  fireEvent.click(screen.getByText('Last week'));
  expect(location.hash).toBe('#/overview?range=week');
});

test('the period control shows an error for an invalid period, and does not change the URL', () => {
  renderAt(tuesday, <Page />);
  fireEvent.change(screen.getByLabelText('Until (local time)'), {
    target: { value: '2026-03-01T00:00' },
  });
  expect(screen.getByRole('alert').textContent).toBe('The start must be before the end.');
  expect(location.hash).toBe(tuesday);
});

test('the period control offers only periods for which the service keeps usage', () => {
  const usageKeptSeconds = { minute: 3_600, hour: 86_400, day: 17.5 * 86_400 };
  session.value = { session: { usageKeptSeconds } } as unknown as IssuedSession;
  renderAt(tuesday, <Page />);
  expect(screen.queryByText('Last 30 days')).toBeNull();
  expect(screen.getByText('Last week')).toBeDefined();
  const earlier = screen.getByRole('button', { name: 'Earlier' });
  expect(earlier.getAttribute('aria-disabled')).toBe('true');
  fireEvent.click(earlier);
  expect(location.hash).toBe(tuesday);
});

test('a link to another page contains the selected period', () => {
  renderAt(tuesday, <Page />);
  const { hash } = new URL(screen.getByRole<HTMLAnchorElement>('link').href);
  expect(hash).toMatch(/^#\/key\/a%2Fb\?/);
  expect(spanOf(hash)).toEqual(spanOf(tuesday));
});
