import type { UsageOutcome } from '@animal-store/admin-contract';
import { formatCount } from '../time/format.ts';
import { OutcomeKey } from './outcome-table.tsx';
import { outcomeLabels, outcomes } from './usage.ts';

/** A limit that the plot shows as a line. */
export interface Limit {
  readonly label: string;
  readonly requests: number;
}

/** The legend of a plot. A click on an outcome hides or shows it in the plot. */
export function PlotLegend({
  hidden,
  onToggle,
  limit,
  isLineDrawn,
}: {
  hidden: ReadonlySet<UsageOutcome>;
  onToggle: (outcome: UsageOutcome) => void;
  limit: Limit | undefined;
  isLineDrawn: boolean;
}) {
  return (
    <ul class="legend">
      {outcomes.map((outcome) => (
        <li>
          <button
            type="button"
            class="series"
            aria-pressed={!hidden.has(outcome)}
            onClick={() => onToggle(outcome)}
          >
            <OutcomeKey outcome={outcome} /> {outcomeLabels[outcome]}
          </button>
        </li>
      ))}
      {limit !== undefined && (
        <li>
          {isLineDrawn && (
            <>
              <span class="key limit" aria-hidden="true" />{' '}
            </>
          )}
          {limit.label}: {formatCount(limit.requests)}
          {!isLineDrawn && ', above the plot'}
        </li>
      )}
    </ul>
  );
}
