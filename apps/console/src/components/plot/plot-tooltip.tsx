import type { UsageOutcome } from '@animal-store/admin-contract';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { formatCount, formatRequests, formatUtc, isUtc, spanText } from '../time/format.ts';
import { OutcomeKey } from './outcome-table.tsx';
import { type Bucket, outcomeLabels, outcomes } from './usage.ts';

/** The sums of the numbers in the selected buckets. */
export interface BucketSummary {
  readonly from: number;
  readonly to: number;
  readonly counts: readonly (readonly [UsageOutcome, number])[];
  readonly total: number;
}

/** Adds up the selected buckets. Hidden outcomes are left out. */
export function summarize(
  buckets: readonly Bucket[],
  bucketMs: number,
  hidden: ReadonlySet<UsageOutcome>,
): BucketSummary {
  const counts = outcomes
    .filter((outcome) => !hidden.has(outcome))
    .map((outcome) => {
      const sum = buckets.reduce((total, { counts }) => total + counts[outcome], 0);
      return [outcome, sum] as const;
    });
  const first = buckets[0]?.at.getTime() ?? 0;
  return {
    from: first,
    to: (buckets.at(-1)?.at.getTime() ?? first) + bucketMs,
    counts,
    total: counts.reduce((sum, [, count]) => sum + count, 0),
  };
}

/** Formats the numbers of the selected buckets as a sentence, for screen readers. */
export function sentenceOf({ from, to, counts, total }: BucketSummary): string {
  const parts = counts
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${outcomeLabels[outcome]} ${formatCount(count)}`);
  return `${spanText(from, to)}: ${[formatRequests(total), ...parts].join(', ')}`;
}

/** The distance between the tooltip and its bucket, in pixels. */
const gap = 12;

/** Shows the numbers of the buckets that are under the pointer, or selected with the keyboard. */
export function PlotTooltip({
  selected,
  left,
  isLeftOfBucket,
}: {
  selected: BucketSummary;
  left: number;
  isLeftOfBucket: boolean;
}) {
  const { from, to, counts, total } = selected;
  const box = useRef<HTMLDivElement>(null);
  // The tooltip is placed next to its bucket, but never outside the plot.
  useLayoutEffect(() => {
    const own = box.current;
    const most = (own?.parentElement?.clientWidth ?? 0) - (own?.offsetWidth ?? 0);
    const wanted = isLeftOfBucket ? left - gap - (own?.offsetWidth ?? 0) : left + gap;
    if (own) own.style.left = `${Math.max(0, Math.min(wanted, most))}px`;
  });
  return (
    <div ref={box} class="tooltip" aria-hidden="true">
      <p>
        <strong>{spanText(from, to)}</strong>
        {!isUtc && <small class="muted">{formatUtc(new Date(from), 'short')}</small>}
      </p>
      <dl>
        {counts.map(([outcome, count]) => (
          <div>
            <dt>
              <OutcomeKey outcome={outcome} /> {outcomeLabels[outcome]}
            </dt>
            <dd>{formatCount(count)}</dd>
          </div>
        ))}
        <div class="sum">
          <dt>All</dt>
          <dd>{formatCount(total)}</dd>
        </div>
      </dl>
    </div>
  );
}
