import { afterAll, expect, test, vi } from 'vitest';

// The module under test reads the time zone when it is loaded. So the test sets the time zone
// first, and then loads the module again.
vi.stubEnv('TZ', 'Europe/Berlin');
vi.stubGlobal('navigator', { languages: ['de-DE', 'en-GB'] });
vi.resetModules();
const { distanceInWords, formatDistance, formatTick } = await import('./format.ts');
const { axisSteps } = await import('../plot/plot-options.ts');
afterAll(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

test.each([
  [-90_000, '1 minute ago', '1 minute ago'],
  [7_200_000, 'in 2 hours', 'in 2 hours'],
  [500, 'now', 'in less than a minute'],
  [-51_000, '51 seconds ago', 'just now'],
])(
  'a time that is %i ms from now is formatted as "%s", and in a sentence as "%s"',
  (ms, text, words) => {
    const time = new Date(1_000_000 + ms);
    expect([formatDistance(time, 1_000_000), distanceInWords(time, 1_000_000)]).toEqual([
      text,
      words,
    ]);
  },
);

test('formatTick never gives two adjacent marks of an axis the same label', () => {
  for (const step of axisSteps) {
    const midnight = new Date('2026-11-25T00:00:00').getTime() / 1_000;
    expect(formatTick(midnight + step, step)).not.toBe(formatTick(midnight, step));
    expect(formatTick(midnight + 2 * step, step)).not.toBe(formatTick(midnight + step, step));
  }
});
