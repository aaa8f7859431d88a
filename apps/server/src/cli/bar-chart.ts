import { toCount } from './format-table.ts';

/** A bar that is shorter than this says nothing. */
const minBarWidth = 8;

/** Longer bars are no easier to compare. */
const maxBarWidth = 60;

const gap = '  ';

/**
 * Draws numbers as bars, one a line, in so many columns. Where there is no room for bars, only the
 * labels and numbers are left, and those are never cut. It needs no colour.
 */
export function formatBars(
  bars: readonly { readonly label: string; readonly count: number }[],
  columns: number,
): string {
  const labelWidth = Math.max(0, ...bars.map(({ label }) => label.length));
  const countWidth = Math.max(0, ...bars.map(({ count }) => toCount(count).length));
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const room = columns - labelWidth - countWidth - 2 * gap.length;
  const barWidth = room < minBarWidth ? 0 : Math.min(room, maxBarWidth);
  return bars
    .map(({ label, count }) => {
      const start = `${label.padEnd(labelWidth)}${gap}${toCount(count).padStart(countWidth)}`;
      // Whatever is not zero can be seen.
      const length = count === 0 || barWidth === 0 ? 0 : Math.ceil((count / most) * barWidth);
      return `${start}${gap}${'█'.repeat(length)}`.trimEnd();
    })
    .map((line) => `${line}\n`)
    .join('');
}
