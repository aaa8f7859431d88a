import type { UsageOutcome } from '@animal-store/admin-contract';
import { Table } from '../table/table.tsx';
import { formatCount, formatShare } from '../time/format.ts';
import { type Counts, colourOf, outcomeLabels, outcomes, sumOf } from './usage.ts';

export function OutcomeKey({ outcome }: { outcome: UsageOutcome }) {
  return (
    <span
      class={`key ${outcome}`}
      style={{ '--tone': `var(--${colourOf(outcome)})` }}
      aria-hidden="true"
    />
  );
}

export function OutcomeTable({ counts, caption }: { counts: Counts; caption: string }) {
  const total = sumOf(counts);
  return (
    <Table
      caption={caption}
      columns={['Outcome', { number: 'Requests' }, { number: 'Share' }]}
      rows={outcomes.map((outcome) => ({
        key: outcome,
        cells: [
          <>
            <OutcomeKey outcome={outcome} /> {outcomeLabels[outcome]}
          </>,
          formatCount(counts[outcome]),
          total === 0 ? '–' : formatShare(counts[outcome] / total),
        ],
      }))}
      sums={['All', formatCount(total), '']}
    />
  );
}
