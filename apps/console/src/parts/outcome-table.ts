import { html } from 'htm/preact';
import { formatCount, formatShare } from '../format.ts';
import { type Counts, outcomeLabels, outcomes, sumOf } from '../usage.ts';
import { OutcomeKey } from './outcome-key.ts';
import { Table } from './table.ts';

export function OutcomeTable({ counts, caption }: { counts: Counts; caption: string }) {
  const total = sumOf(counts);
  return html`<${Table}
    caption=${caption}
    columns=${['Outcome', { number: 'Requests' }, { number: 'Share' }]}
    rows=${outcomes.map((outcome) => ({
      key: outcome,
      cells: [
        html`<${OutcomeKey} outcome=${outcome} /> ${outcomeLabels[outcome]}`,
        formatCount(counts[outcome]),
        total === 0 ? '–' : formatShare(counts[outcome] / total),
      ],
    }))}
    sums=${['All', formatCount(total), '']}
  />`;
}
