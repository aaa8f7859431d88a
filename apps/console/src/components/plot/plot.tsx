import type { UsageOutcome } from '@animal-store/admin-contract';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { bucketColumns, toCsv } from '../table/csv.ts';
import { CsvButton, csvName } from '../table/csv-button.tsx';
import { Table } from '../table/table.tsx';
import { formatCount } from '../time/format.ts';
import { theme } from '../time/preferences.ts';
import { Time } from '../time/time.tsx';
import { bucketLabels, showSpan, zoomOut } from '../time/time-range.ts';
import { dragInPlot } from './drag-in-plot.ts';
import { type Limit, PlotLegend } from './plot-legend.tsx';
import { isMoved, type Mark, moveMark, placesOf } from './plot-mark.ts';
import { optionsFor, plotHeight, toSeries } from './plot-options.ts';
import { PlotTooltip, sentenceOf, summarize } from './plot-tooltip.tsx';
import {
  type Bucket,
  bucketMs,
  type Ledger,
  outcomeLabels,
  outcomes,
  toBuckets,
  visibleLimit,
} from './usage.ts';

/**
 * Plots requests over time as stacked bars, one colour for each outcome, with the limit as a line.
 * A bar under the pointer shows its numbers, and dragging zooms in. The keyboard can do the same.
 * Screen readers cannot read the canvas, so the plot also contains a table.
 */
export function UsagePlot({
  what,
  ledger,
  countsAllKeys = false,
  limit,
  file = 'usage',
}: {
  /** The plural name of the counted events, such as "Requests". */
  what: string;
  ledger: Ledger;
  /** Whether the plot counts the requests of all keys. The title then ends in "all keys". */
  countsAllKeys?: boolean;
  limit?: Limit | undefined;
  /** The first part of the CSV file's name. The start and the end of the time range follow. */
  file?: string;
}) {
  const { bucket } = ledger;
  const title = `${what} by ${bucketLabels[bucket]}${countsAllKeys ? ', all keys' : ''}`;
  const buckets = toBuckets(ledger);
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const help = useId();
  const [hidden, setHidden] = useState<ReadonlySet<UsageOutcome>>(new Set());
  const [mark, setMark] = useState<Mark>();
  const lengthMs = bucketMs[bucket];
  const line = visibleLimit(buckets, limit?.requests);
  const data = toSeries(buckets, hidden, line);
  const latest = useRef({ data, buckets });
  latest.current = { data, buckets };

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const hooks: uPlot.Hooks.Arrays = {
      // uPlot also calls this hook when it draws the plot again. The hook must not clear the bucket
      // that the operator has selected with the keyboard.
      setCursor: [
        (self) => {
          const index = indexAt(self, latest.current.buckets, lengthMs);
          setMark((last) => {
            if (index === undefined) return last?.isByKeyboard ? last : undefined;
            return last?.index === index ? last : { index, isByKeyboard: false };
          });
        },
      ],
    };
    const draw = () => {
      plot.current?.destroy();
      const options = optionsFor(element, {
        bucketSeconds: lengthMs / 1_000,
        hasLimit: limit !== undefined,
        hooks,
      });
      const drawn = new uPlot(options, latest.current.data, element);
      dragInPlot(drawn, (left, right) => {
        const timeAt = (x: number) => (drawn.posToVal(x, 'x') * 1_000) / lengthMs;
        showSpan({
          from: Math.floor(timeAt(left)) * lengthMs,
          to: Math.ceil(timeAt(right)) * lengthMs,
        });
      });
      plot.current = drawn;
    };
    draw();
    const sizes = new ResizeObserver(() =>
      plot.current?.setSize({ width: Math.max(element.clientWidth, 200), height: plotHeight }),
    );
    sizes.observe(element);
    // The plot is drawn again when the theme changes, because the colours of a canvas do not follow
    // the style sheet.
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      scheme.removeEventListener('change', draw);
      sizes.disconnect();
      plot.current?.destroy();
    };
  }, [limit?.label, lengthMs, theme.value.value]);

  useEffect(() => plot.current?.setData(data), [buckets, line, hidden]);

  const places = mark && placesOf(mark, buckets.length);
  const selected =
    places && summarize(buckets.slice(places.first, places.last + 1), lengthMs, hidden);
  const left = selected && plot.current ? middleOf(plot.current, selected) : 0;
  // This effect highlights only a selection that was made with the keyboard. `dragInPlot`
  // highlights a selection that was made by dragging.
  const isShown = useRef(false);
  useEffect(() => {
    const chosen = mark?.isByKeyboard ? selected : undefined;
    if (chosen !== undefined || isShown.current)
      plot.current?.setSelect(areaOf(plot.current, chosen), false);
    isShown.current = chosen !== undefined;
  });

  function onKeyDown(event: KeyboardEvent): void {
    const { key, shiftKey } = event;
    if (isMoved(key)) setMark((last) => moveMark(last, { key, shiftKey, count: buckets.length }));
    else if (key === 'Escape') setMark(undefined);
    else if (key === 'Enter' && selected !== undefined)
      showSpan({ from: selected.from, to: selected.to });
    else if (key === '-') showSpan(zoomOut(summarize(buckets, lengthMs, hidden)));
    else return;
    event.preventDefault();
  }

  const toggle = (outcome: UsageOutcome) =>
    setHidden(hidden.symmetricDifference(new Set([outcome])));

  return (
    <figure class="plot" aria-label={title}>
      <figcaption class="title">
        <span>{title}</span>
        <CsvButton
          fileName={csvName(file, ledger)}
          write={() => toCsv(buckets, bucketColumns)}
          what={title}
        />
      </figcaption>
      <div
        class="plot-area"
        role="slider"
        tabIndex={0}
        aria-label={`${title}: select a time`}
        aria-describedby={help}
        aria-valuemin={0}
        aria-valuemax={Math.max(buckets.length - 1, 0)}
        aria-valuenow={places?.last ?? Math.max(buckets.length - 1, 0)}
        aria-valuetext={selected ? sentenceOf(selected) : 'no time selected'}
        onKeyDown={onKeyDown}
        onBlur={() => setMark(undefined)}
      >
        <div ref={place} class="canvas" aria-hidden="true" />
        {selected && (
          <PlotTooltip
            selected={selected}
            left={left}
            isLeftOfBucket={places.last * 2 > buckets.length}
          />
        )}
      </div>
      <p id={help} class="hidden">
        Arrow keys select a time. With Shift, they extend the selection. Enter zooms in, minus zooms
        out, Escape clears the selection.
      </p>
      <PlotLegend
        hidden={hidden}
        onToggle={toggle}
        limit={limit}
        isLineDrawn={line !== undefined}
      />
      <details>
        <summary>{title}: as a table</summary>
        <BucketTable title={title} buckets={buckets} />
      </details>
    </figure>
  );
}

/**
 * Returns the index of the bucket under the pointer; `undefined` if the pointer is not over the
 * plot.
 */
function indexAt(plot: uPlot, buckets: readonly Bucket[], lengthMs: number): number | undefined {
  const { left = -1 } = plot.cursor;
  const [first] = buckets;
  if (left < 0 || first === undefined) return undefined;
  const index = Math.floor((plot.posToVal(left, 'x') * 1_000 - first.at.getTime()) / lengthMs);
  return Math.min(Math.max(index, 0), buckets.length - 1);
}

/** Returns the middle of a period, in pixels from the left side of the plot. */
function middleOf(plot: uPlot, { from, to }: { from: number; to: number }): number {
  return plot.over.offsetLeft + plot.valToPos((from + to) / 2_000, 'x');
}

/** Returns the rectangle of a period in the plot, in pixels. */
function areaOf(plot: uPlot, span: { from: number; to: number } | undefined): uPlot.Select {
  if (span === undefined) return { left: 0, width: 0, top: 0, height: 0 };
  const left = plot.valToPos(span.from / 1_000, 'x');
  const width = plot.valToPos(span.to / 1_000, 'x') - left;
  return { left, width, top: 0, height: plot.over.clientHeight };
}

function BucketTable({ title, buckets }: { title: string; buckets: readonly Bucket[] }) {
  const used = buckets.filter(({ total }) => total > 0).reverse();
  return (
    <Table
      isWide
      hasOwnScroll
      caption={title}
      columns={[
        'Start',
        ...outcomes.map((outcome) => ({ number: outcomeLabels[outcome] })),
        { number: 'All' },
      ]}
      rows={used.map(({ at, counts, total }) => ({
        key: at.toISOString(),
        cells: [
          <Time at={at.toISOString()} hidesSeconds />,
          ...outcomes.map((outcome) => formatCount(counts[outcome])),
          formatCount(total),
        ],
      }))}
      empty="No requests."
    />
  );
}
