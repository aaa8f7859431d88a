import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readTightestWindow, unknownWindow } from './read-tightest-window.ts';

const resetAt = Date.UTC(2026, 10, 21, 0, 1);

beforeEach(() => {
  vi.useFakeTimers({ now: resetAt - 60_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

function read(status: number, headers: Record<string, string>, text = '') {
  const quota = readTightestWindow({ response: new Response(text, { status, headers }), text });
  return { ...quota, endsInMs: quota.endsAtMs - performance.now() };
}

const state = {
  'X-RateLimit-Limit': '60',
  'X-RateLimit-Remaining': '7',
  'X-RateLimit-Reset': String(resetAt / 1000),
};

test('a success tells of the window that it reports', () => {
  expect(read(200, state)).toMatchObject({
    limit: 60,
    remaining: 7,
    resetAt: new Date(resetAt),
    endsInMs: 60_000,
    perMinute: 0,
    code: 'rate_limit_exceeded',
  });
});

test('RateLimit tells how far away the reset is, wherever the clock of this machine is set', () => {
  const fields = {
    ...state,
    RateLimit: '"day";r=70;t=500, "minute";r=7;t=42',
    'RateLimit-Policy': '"day";q=1000;w=86400, "minute";q=60;w=60',
  };
  expect(read(200, fields)).toMatchObject({ remaining: 7, endsInMs: 42_000, perMinute: 60 });
  expect(read(200, { ...fields, RateLimit: '"minute";r=8;t=42' })).toMatchObject({
    endsInMs: 60_000,
  });
  expect(read(200, { ...fields, 'RateLimit-Policy': '"hour";q=9;w=600' })).toMatchObject({
    perMinute: 0,
  });
});

test('a 429 leaves nothing, for as long as Retry-After says', () => {
  expect(read(429, { ...state, 'Retry-After': '30' })).toMatchObject({
    limit: 60,
    remaining: 0,
    resetAt: new Date(resetAt),
    endsInMs: 30_000,
    code: 'rate_limit_exceeded',
  });
  expect(read(429, { 'Retry-After': '30' })).toMatchObject({
    limit: Number.POSITIVE_INFINITY,
    remaining: 0,
    resetAt: new Date(resetAt - 30_000),
    endsInMs: 30_000,
  });
  expect(read(429, { 'Retry-After': '30' }, '{"code":"key_temporarily_banned"}')).toMatchObject({
    code: 'key_temporarily_banned',
  });
});

test.each([
  [200, {}],
  [429, state],
  [502, { ...state, 'X-RateLimit-Reset': 'soon' }],
  [200, { ...state, 'X-RateLimit-Limit': '60s' }],
  [200, { ...state, 'X-RateLimit-Remaining': 'a7' }],
] as [number, Record<string, string>][])('a %i with %j tells nothing', (status, headers) => {
  expect(readTightestWindow({ response: new Response('', { status, headers }), text: '' })).toBe(
    unknownWindow,
  );
});
