import type { UsageOutcome } from '@animal-store/admin-contract';
import uPlot from 'uplot';
import { formatCompact, formatTick } from '../time/format.ts';
import { type Bucket, colourOf, outcomes } from './usage.ts';

/** The height of plots, in pixels. */
export const plotHeight = 180;

const [minute, hour, day] = [60, 3_600, 86_400];

/**
 * The possible distances between two marks on the time axis, in seconds. The smallest distance is a
 * minute. The labels have no seconds, so marks at smaller distances would have the same label.
 */
export const axisSteps: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 4, 6, 8, 12].map((count) => count * hour),
  ...[1, 2, 3, 5, 10, 15, 30, 60, 90].map((count) => count * day),
];

/**
 * Converts buckets to the data columns of uPlot: the times, one column for each outcome, and the
 * limit. The bar of an outcome starts at zero, so its value includes the outcomes below it in the
 * stack.
 */
export function toSeries(
  buckets: readonly Bucket[],
  hidden: ReadonlySet<UsageOutcome>,
  limit: number | undefined,
): uPlot.AlignedData {
  const shown = (counts: Bucket['counts'], outcome: UsageOutcome | undefined) =>
    outcome === undefined || hidden.has(outcome) ? 0 : counts[outcome];
  const stacked = outcomes.map((_, top) =>
    buckets.map(({ counts }) =>
      shown(counts, outcomes[top]) === 0
        ? // `null` draws nothing. A 0 would draw a line in the background colour over the axis.
          null
        : outcomes.slice(0, top + 1).reduce((sum, outcome) => sum + shown(counts, outcome), 0),
    ),
  );
  return [
    buckets.map(({ at }) => at.getTime() / 1_000),
    ...stacked.reverse(),
    buckets.map(() => limit ?? null),
  ];
}

/** Creates the uPlot options for a plot of stacked bars. */
export function optionsFor(
  element: HTMLElement,
  {
    bucketSeconds,
    hasLimit,
    hooks,
  }: { bucketSeconds: number; hasLimit: boolean; hooks: uPlot.Hooks.Arrays },
): uPlot.Options {
  const colour = colourReader(element);
  const axis: uPlot.Axis = {
    stroke: colour('muted'),
    font: `12px ${getComputedStyle(element).fontFamily}`,
    grid: { stroke: colour('line'), width: 1 },
    ticks: { stroke: colour('line'), width: 1 },
  };
  const bars = uPlot.paths.bars?.({ size: [0.8, 24], align: 1 });
  return {
    width: Math.max(element.clientWidth, 200),
    height: plotHeight,
    legend: { show: false },
    // Dragging is switched off in uPlot, because uPlot does not support fingers. `dragInPlot`
    // replaces it.
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    hooks,
    scales: {
      // The axis ends where the last bucket ends.
      x: {
        range: ({ data: [times] }) => [
          times[0] ?? 0,
          (times[times.length - 1] ?? 0) + bucketSeconds,
        ],
      },
      y: { range: (_plot, _min, max) => [0, topOf(max)] },
    },
    axes: [
      {
        ...axis,
        size: 32,
        incrs: [...axisSteps],
        values: (_plot, splits, _axis, _space, step) => splits.map((at) => formatTick(at, step)),
      },
      { ...axis, size: 56, values: (_plot, splits) => splits.map((value) => formatCompact(value)) },
    ],
    series: [
      {},
      // All bars start at zero. The highest bar is drawn first, and each lower bar covers a part of
      // it, so the bars look stacked.
      ...outcomes.toReversed().map(
        (outcome): uPlot.Series => ({
          fill: colour(colourOf(outcome)),
          // A thin line in the background colour separates the parts of a bar for readers who
          // cannot see the colours.
          stroke: colour('paper'),
          width: 1 / devicePixelRatio,
          points: { show: false },
          ...(bars !== undefined && { paths: bars }),
        }),
      ),
      {
        show: hasLimit,
        stroke: colour('ink'),
        width: 1.5,
        dash: [6, 4],
        points: { show: false },
      },
    ],
  };
}

/**
 * Creates a function that resolves a colour of the style sheet. A canvas does not support CSS
 * variables and functions.
 */
function colourReader(element: HTMLElement): (name: string) => string {
  return (name) => {
    const sample = element.appendChild(document.createElement('span'));
    sample.style.color = `var(--${name})`;
    const { color } = getComputedStyle(sample);
    sample.remove();
    return color;
  };
}

/**
 * Returns the upper end of the axis, which is above the highest value. The result is never 0,
 * because an empty plot must also have an axis.
 */
const topOf = (max: number | null) => Math.max((max ?? 0) * 1.1, 4);
