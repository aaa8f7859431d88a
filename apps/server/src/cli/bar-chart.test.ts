import { expect, test } from 'vitest';
import { formatBars } from './bar-chart.ts';

const bars = [
  { label: '2026-11-20', count: 1_200 },
  { label: '2026-11-21', count: 0 },
  { label: '2026-11-22', count: 1 },
  { label: '2026-11-23', count: 600 },
];

test('bars are as long as their numbers, and what is not zero can be seen', () => {
  expect(formatBars(bars, 39)).toBe(
    [
      '2026-11-20  1,200  ████████████████████',
      '2026-11-21      0',
      '2026-11-22      1  █',
      '2026-11-23    600  ██████████',
      '',
    ].join('\n'),
  );
});

test.each([20, 26, 27, 40, 80, 200])(
  'no line is longer than %d columns, with bars or without',
  (columns) => {
    const lines = formatBars(bars, columns).trimEnd().split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(lines.some((line) => line.includes('█'))).toBe(columns >= 27);
  },
);

test('without requests there are no bars', () => {
  expect(formatBars([{ label: 'now', count: 0 }], 80)).toBe('now  0\n');
});
