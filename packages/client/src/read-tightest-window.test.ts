import { expect, test } from 'vitest';
import { useFakeClock } from '../test/fake-clock.ts';
import { readTightestWindow, unknownWindow } from './read-tightest-window.ts';

useFakeClock();
/** The time when the window in the headers ends: one minute after the fake clock starts. */
const resetAt = Date.UTC(2026, 10, 21, 0, 1);

const state = {
  'X-RateLimit-Limit': '60',
  'X-RateLimit-Remaining': '7',
  'X-RateLimit-Reset': String(resetAt / 1000),
};
const both = {
  ...state,
  RateLimit: '"day";r=70;t=500, "minute";r=7;t=42',
  'RateLimit-Policy': '"day";q=1000;w=86400, "minute";q=60;w=60',
};
const denied = { ...state, 'Retry-After': '30' };
const known = {
  limit: 60,
  remaining: 7,
  resetAt: new Date(resetAt),
  perMinute: 0,
  code: 'rate_limit_exceeded',
};
const none = { ...known, remaining: 0 };
const banned = '{"code":"key_temporarily_banned"}';
const unlimited = { limit: Number.POSITIVE_INFINITY, resetAt: new Date(resetAt - 30_000) };

test.each([
  ['a success', 200, state, '', 60_000, known],
  // `RateLimit` contains the seconds until the reset, so the clock of this machine does not matter.
  ['RateLimit with the time until the reset', 200, both, '', 42_000, { ...known, perMinute: 60 }],
  [
    'RateLimit with a reset now',
    200,
    { ...state, RateLimit: 'm;r=7;t=0, d;r=7;t=9' },
    '',
    0,
    known,
  ],
  ['RateLimit of another window', 200, { ...state, RateLimit: 'd;r=8;t=42' }, '', 60_000, known],
  ['RateLimit without a number', 200, { ...state, RateLimit: 'm;r=7;t=x' }, '', 60_000, known],
  [
    'the time of a service whose clock is an hour ahead',
    200,
    {
      ...state,
      'X-RateLimit-Reset': String(resetAt / 1000 + 3_600),
      Date: 'Sat, 21 Nov 2026 01:00:00 GMT',
    },
    '',
    60_000,
    { ...known, resetAt: new Date(resetAt + 3_600_000) },
  ],
  ['another policy', 200, { ...both, 'RateLimit-Policy': 'h;q=9;w=600' }, '', 42_000, known],
  ['a 429', 429, denied, '', 30_000, none],
  ['a ban', 429, denied, banned, 30_000, { ...none, code: 'key_temporarily_banned' }],
  ['a 429 of a proxy', 429, { 'Retry-After': '30' }, '', 30_000, { ...none, ...unlimited }],
] as [string, number, Record<string, string>, string, number, object][])(
  'readTightestWindow reads the limit, the remaining requests and the reset time from a response with %s',
  (_what, status, headers, text, endsInMs, expected) => {
    const response = new Response(text, { status, headers });
    const { endsAtMs, ...window } = readTightestWindow({ response, text });
    expect(window).toEqual(expected);
    expect(endsAtMs - performance.now()).toBe(endsInMs);
  },
);

test.each([
  [429, state],
  [502, { ...state, 'X-RateLimit-Reset': 'soon' }],
  [200, { ...state, 'X-RateLimit-Reset': String(resetAt) }],
  [200, { ...state, 'X-RateLimit-Limit': '60s' }],
  [200, { ...state, 'X-RateLimit-Remaining': 'a7' }],
] as [number, Record<string, string>][])(
  'readTightestWindow returns the constant `unknownWindow` for a response with status %i and the headers %j',
  (status, headers) => {
    const answer = { response: new Response('', { status, headers }), text: '' };
    expect(readTightestWindow(answer)).toBe(unknownWindow);
  },
);
