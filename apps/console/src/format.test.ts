import { afterAll, expect, test, vi } from 'vitest';

// The zone is read once, when the module is loaded.
vi.stubEnv('TZ', 'Europe/Berlin');
vi.stubGlobal('navigator', { languages: ['de-DE', 'en-GB'] });
vi.resetModules();
const { distanceInWords, formatDistance, formatMs, formatTick } = await import('./format.ts');
const { axisSteps } = await import('./parts/plot-options.ts');
afterAll(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

test.each([
  [-90_000, '1 minute ago'],
  [7_200_000, 'in 2 hours'],
  [500, 'now'],
])('a time %i ms from now is %s', (ms, text) => {
  expect(formatDistance(new Date(1_000_000 + ms), 1_000_000)).toBe(text);
});

test.each([
  [-51_000, 'just now'],
  [51_000, 'in less than a minute'],
  [-61_000, '1 minute ago'],
])('a sentence says of a time %i ms from now that it is %s', (ms, text) => {
  expect(distanceInWords(new Date(1_000_000 + ms), 1_000_000)).toBe(text);
});

test('two neighbours on an axis never have the same name', () => {
  for (const step of axisSteps) {
    const midnight = new Date('2026-11-25T00:00:00').getTime() / 1_000;
    expect(formatTick(midnight + step, step)).not.toBe(formatTick(midnight, step));
    expect(formatTick(midnight + 2 * step, step)).not.toBe(formatTick(midnight + step, step));
  }
});

test.each([
  [3.21, '3.21 ms'],
  [1_234, '1.23 s'],
])('%d ms is %s', (ms, text) => {
  expect(formatMs(ms)).toBe(text);
});
