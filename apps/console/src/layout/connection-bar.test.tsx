// @vitest-environment happy-dom

import { screen } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderAt } from '../../test/render-at.tsx';
import { call } from '../api/call-admin-api.ts';
import { minutesAhead } from '../api/clock-difference.ts';
import { ConnectionBar } from './connection-bar.tsx';

const now = Date.parse('2026-03-20T12:00:00Z');
beforeEach(() => {
  vi.useFakeTimers({ now, toFake: ['Date'] });
});
afterEach(() => {
  minutesAhead.value = 0;
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

// Regression: with a clock that was two hours wrong, the plots of the last hour showed no requests,
// and the page gave no reason.
test.each([
  ['2026-03-20T10:00:20Z', 'The clock of this computer is 120 minutes ahead of the clock of the'],
  ['2026-03-20T12:02:00Z', 'The clock of this computer is 2 minutes behind the clock of the'],
  ['2026-03-20T12:01:59Z', ''],
  ['2026-03-20T11:58:01Z', ''],
])(
  'the page compares its clock, which shows 12:00, with the clock of the service at %s and shows the warning "%s"',
  async (time, warning) => {
    const headers = { Date: new Date(time).toUTCString() };
    vi.stubGlobal('fetch', async () => new Response('{}', { headers }));
    await call('getOverview');
    renderAt('#/overview', <ConnectionBar />);
    const { textContent } = screen.getByRole('status');
    expect(warning === '' ? textContent : textContent.slice(0, warning.length)).toBe(warning);
  },
);

test('the page shows no warning about its clock when a response has no Date header', async () => {
  vi.stubGlobal('fetch', async () => new Response('{}'));
  await call('getOverview');
  expect(minutesAhead.value).toBe(0);
});
