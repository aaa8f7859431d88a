import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { formatCompact, formatCount, formatTick } from '../format.ts';
import { type Bucket, outcomeLabels, outcomes } from '../usage.ts';
import { Table } from './table.ts';
import { Time } from './time.ts';

const height = 180;

/**
 * Requests over time by outcome, stacked, with a limit as a line. Screen readers get the table: a canvas
 * is invisible to them.
 */
export function UsagePlot({
  title,
  buckets,
  limit,
}: {
  title: string;
  buckets: readonly Bucket[];
  limit?: { label: string; requests: number };
}) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const line = limit?.requests;
  const data = toSeries(buckets, line);
  const latest = useRef(data);
  latest.current = data;

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new uPlot(optionsFor(element, limit?.label), latest.current, element);
    };
    draw();
    const sizes = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height }),
    );
    sizes.observe(element);
    // Canvases know no style sheets.
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      scheme.removeEventListener('change', draw);
      sizes.disconnect();
      plot.current?.destroy();
    };
  }, [limit?.label]);

  useEffect(() => plot.current?.setData(data), [buckets, line]);

  return html`<figure class="plot" aria-label=${title}>
    <figcaption>${title}</figcaption>
    <div ref=${place} class="canvas" aria-hidden="true"></div>
    <${Legend} limit=${limit} />
    <details>
      <summary>${title}: as a table</summary>
      <${BucketTable} title=${title} buckets=${buckets} />
    </details>
  </figure>`;
}

function Legend({ limit }: { limit: { label: string; requests: number } | undefined }) {
  return html`<ul class="legend">
    ${outcomes.map(
      (outcome) =>
        html`<li><span class=${`key ${outcome}`} aria-hidden="true"></span> ${outcomeLabels[outcome]}</li>`,
    )}
    ${
      limit !== undefined &&
      html`<li><span class="key limit" aria-hidden="true"></span> ${limit.label}: ${formatCount(limit.requests)}</li>`
    }
  </ul>`;
}

function BucketTable({ title, buckets }: { title: string; buckets: readonly Bucket[] }) {
  const used = buckets.filter(({ total }) => total > 0).reverse();
  return html`<${Table}
    isWide
    caption=${title}
    columns=${['Begins', ...outcomes.map((outcome) => ({ number: outcomeLabels[outcome] })), { number: 'All' }]}
    rows=${used.map(({ at, counts, total }) => ({
      key: at.toISOString(),
      cells: [
        html`<${Time} at=${at.toISOString()} />`,
        ...outcomes.map((outcome) => formatCount(counts[outcome])),
        formatCount(total),
      ],
    }))}
    empty="No requests."
  />`;
}

/** The columns of uPlot: times, the limit, and sums from the top of the stack to its bottom. */
function toSeries(buckets: readonly Bucket[], limit: number | undefined): uPlot.AlignedData {
  const stacked = outcomes.map((_, top) =>
    buckets.map(({ counts }) =>
      outcomes.slice(0, top + 1).reduce((sum, outcome) => sum + counts[outcome], 0),
    ),
  );
  return [
    buckets.map(({ at }) => at.getTime() / 1_000),
    ...stacked.reverse(),
    buckets.map(() => limit ?? null),
  ];
}

function optionsFor(element: HTMLElement, limitLabel: string | undefined): uPlot.Options {
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
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      // To the end of the last bucket.
      x: { range: (plot) => rangeOf(plot.data[0]) },
      y: { range: (_plot, _min, max) => [0, topOf(max)] },
    },
    axes: [
      {
        ...axis,
        values: (_plot, splits, _axis, _space, step) => splits.map((at) => formatTick(at, step)),
      },
      { ...axis, size: 56, values: (_plot, splits) => splits.map((value) => formatCompact(value)) },
    ],
    series: [
      {},
      // The highest sum first: the lower ones cover it from below.
      ...outcomes.toReversed().map(
        (outcome): uPlot.Series => ({
          fill: colour(`outcome-${outcome.replace('_', '-')}`),
          width: 0,
          points: { show: false },
          ...(bars !== undefined && { paths: bars }),
        }),
      ),
      {
        show: limitLabel !== undefined,
        stroke: colour('ink'),
        width: 1.5,
        dash: [6, 4],
        points: { show: false },
      },
    ],
  };
}

/** Reads the colours of the style sheet as a canvas understands them: without variables and functions. */
function colourReader(element: HTMLElement): (name: string) => string {
  return (name) => {
    const sample = element.appendChild(document.createElement('span'));
    sample.style.color = `var(--${name})`;
    const { color } = getComputedStyle(sample);
    sample.remove();
    return color;
  };
}

function rangeOf(times: ArrayLike<number>): [number, number] {
  const [first = 0, second = first + 60] = Array.from(times);
  return [first, (times[times.length - 1] ?? first) + second - first];
}

/** Above the highest value, and never 0: an empty plot has an axis, too. */
const topOf = (max: number | null) => Math.max((max ?? 0) * 1.1, 4);
