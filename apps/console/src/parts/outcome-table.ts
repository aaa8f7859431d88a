import { html } from 'htm/preact';
import { formatCount, formatShare } from '../format.ts';
import { type Counts, outcomeLabels, outcomes, sumOf } from '../usage.ts';

/** Requests by outcome, with their share of all. */
export function OutcomeTable({ counts, caption }: { counts: Counts; caption: string }) {
  const total = sumOf(counts);
  return html`<table class="outcomes">
    <caption>${caption}</caption>
    <thead>
      <tr><th scope="col">Outcome</th><th scope="col" class="number">Requests</th><th scope="col" class="number">Share</th></tr>
    </thead>
    <tbody>
      ${outcomes.map(
        (outcome) => html`<tr>
          <th scope="row"><span class=${`key ${outcome}`} aria-hidden="true"></span> ${outcomeLabels[outcome]}</th>
          <td class="number">${formatCount(counts[outcome])}</td>
          <td class="number">${total === 0 ? '–' : formatShare(counts[outcome] / total)}</td>
        </tr>`,
      )}
    </tbody>
    <tfoot>
      <tr><th scope="row">All</th><td class="number">${formatCount(total)}</td><td></td></tr>
    </tfoot>
  </table>`;
}
