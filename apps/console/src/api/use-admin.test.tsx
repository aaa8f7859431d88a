// @vitest-environment happy-dom
import type { IssuedSession } from '@animal-store/admin-contract';
import { useMutation } from '@tanstack/preact-query';
import { act, fireEvent, screen } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderAt } from '../../test/render-at.tsx';
import { readTimeRange } from '../components/time/time-range.ts';
import { unreachableSince, watchVisibility } from './query-client.ts';
import { beginSession, endSession, isExpired } from './session.ts';
import { useAdmin, useAdminWithHistory } from './use-admin.ts';

const operator = { id: 'ann', name: 'Ann', role: 'owner' } as const;
const usageKeptSeconds = { minute: 172_800, hour: 7_776_000, day: 34_560_000 };
const session = {
  operator,
  operations: [],
  usageKeptSeconds,
  expiresAt: '2026-01-01T00:00:00.000Z',
};
const issued: IssuedSession = { token: 'asc_1', session };

/** The requests that the page has sent so far, and the response to its next requests. */
let sentRequests: URL[] = [];
let answer: () => Response | Promise<Response>;
const json = (body: unknown, status = 200) => Response.json(body, { status });

beforeEach(() => {
  vi.useFakeTimers();
  sentRequests = [];
  vi.stubGlobal('fetch', async (url: string) => {
    sentRequests.push(new URL(url, 'http://127.0.0.1'));
    return await answer();
  });
  beginSession(issued);
  watchVisibility();
});
afterEach(() => {
  endSession();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Advances the fake clock, and renders the results that have arrived. */
async function pass(ms: number): Promise<void> {
  for (const step of [ms, 1, 1]) await act(() => vi.advanceTimersByTimeAsync(step).then(() => {}));
}

function setVisibility(state: 'hidden' | 'visible'): Promise<void> {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state);
  document.dispatchEvent(new Event('visibilitychange'));
  return pass(0);
}

function Operators() {
  const { data } = useAdmin('listOperators');
  const { mutate } = useMutation({ mutationFn: async () => {} });
  return (
    <button type="button" onClick={() => mutate()}>
      {data?.body.map(({ name }) => name).join() ?? 'none yet'}
    </button>
  );
}

test('the hook useAdmin polls at most 13 times a minute, stops while the page is hidden, and polls immediately when the page becomes visible', async () => {
  answer = () => json([{ name: 'Ann' }]);
  const { unmount } = renderAt('#/operators', <Operators />);
  await pass(60_000);
  expect(sentRequests).toHaveLength(13);
  expect(screen.getByRole('button').textContent).toBe('Ann');
  await setVisibility('hidden');
  await pass(60_000);
  expect(sentRequests).toHaveLength(13);
  await setVisibility('visible');
  expect(sentRequests).toHaveLength(14);
  unmount();
  vi.restoreAllMocks();
});

test('the hook useAdmin returns the last result during an outage, reports when the outage began, and returns new results after the outage', async () => {
  answer = () => json([{ name: 'Ann' }]);
  const began = Date.now();
  renderAt('#/operators', <Operators />);
  await pass(0);
  answer = () => Promise.reject(new TypeError('Failed to fetch'));
  await pass(20_000);
  expect(unreachableSince.value).toBe(began + 4_800);
  expect(screen.getByRole('button').textContent).toBe('Ann');
  answer = () => json([{ name: 'Bob' }]);
  await pass(4_800);
  expect(unreachableSince.value).toBeUndefined();
  expect(screen.getByRole('button').textContent).toBe('Bob');
});

test('the hook useAdmin stops polling when the service refuses the session, and polls again when there is a new session', async () => {
  answer = () => json({ code: 'unauthorized' }, 401);
  renderAt('#/operators', <Operators />);
  await pass(60_000);
  expect([sentRequests.length, isExpired.value]).toEqual([1, true]);
  answer = () => json([{ name: 'Ann' }]);
  beginSession({ ...issued, token: 'asc_2' });
  await pass(0);
  expect(screen.getByRole('button').textContent).toBe('Ann');
});

test('the hook useAdmin fetches its data again after the page has sent a change to the service', async () => {
  answer = () => json([]);
  renderAt('#/operators', <Operators />);
  await pass(0);
  fireEvent.click(screen.getByRole('button'));
  await pass(0);
  expect(sentRequests).toHaveLength(2);
});

test('the hook useAdminWithHistory fetches the current state with every poll, but the hourly history at most once in 10 s', async () => {
  vi.setSystemTime('2026-03-03T10:10:00Z');
  let requests = 0;
  answer = () => {
    requests += 1;
    const history = sentRequests.at(-1)?.searchParams.get('include') === 'history' && {
      history: requests,
    };
    return json({ name: `at ${requests}`, ...history });
  };
  function Key() {
    const range = readTimeRange({ range: 'week' });
    const { data } = useAdminWithHistory('getKey', { id: 'a' }, range);
    return <p>{data && `${data.name}, history of ${data.history}`}</p>;
  }
  renderAt('#/key/a', <Key />);
  await pass(0);
  await pass(4_800);
  expect(document.querySelector('p')?.textContent).toBe('at 2, history of 1');
  await pass(9_600);
  expect(sentRequests.map((url) => url.searchParams.has('include'))).toEqual([
    true,
    false,
    false,
    true,
  ]);
  expect(document.querySelector('p')?.textContent).toBe('at 4, history of 4');
  // Regression: after the clock of the machine was set back, the page kept the history for as long.
  vi.setSystemTime('2026-03-03T09:10:00Z');
  await pass(14_400);
  expect(document.querySelector('p')?.textContent).toBe('at 7, history of 7');
  // During an outage, the page keeps the last history, although the start and the end of the period
  // "last week" change with every poll.
  answer = () => Promise.reject(new TypeError('Failed to fetch'));
  await pass(3_600_000);
  expect(document.querySelector('p')?.textContent).toBe('at 7, history of 7');
});
