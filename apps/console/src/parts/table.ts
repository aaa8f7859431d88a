import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';

/** The title of a column. Numbers are aligned at their last digit. */
type Column = string | { readonly number: string };

interface Row {
  readonly key: string;
  /** One for each column. The first one names the row. */
  readonly cells: readonly ComponentChildren[];
}

/**
 * A table.
 *
 * @param options.isWide has it scroll where there is no room, and show each row as a card on a phone.
 * @param options.empty what is shown instead of rows if there are none.
 * @param options.sums the cells of a last row.
 */
export function Table({
  caption,
  columns,
  rows,
  isWide = false,
  empty,
  sums,
}: {
  caption: string;
  columns: readonly Column[];
  rows: readonly Row[];
  isWide?: boolean;
  empty?: string;
  sums?: readonly ComponentChildren[];
}) {
  const titles = columns.map((column) => (typeof column === 'string' ? column : column.number));
  const classOf = (index: number) => (typeof columns[index] === 'string' ? '' : 'number');
  const cellsOf = (cells: readonly ComponentChildren[]) =>
    cells.map((cell, index) =>
      index === 0
        ? html`<th scope="row" class=${classOf(index)}>${cell}</th>`
        : html`<td class=${classOf(index)} data-title=${titles[index]}>${cell}</td>`,
    );

  const table = html`<table class=${isWide ? 'wide' : ''}>
    <caption class=${isWide ? 'hidden' : ''}>${caption}</caption>
    <thead>
      <tr>${titles.map((title, index) => html`<th scope="col" class=${classOf(index)}>${title}</th>`)}</tr>
    </thead>
    <tbody>
      ${rows.map(({ key, cells }) => html`<tr key=${key}>${cellsOf(cells)}</tr>`)}
      ${rows.length === 0 && html`<tr><td colspan=${columns.length} class="missing">${empty}</td></tr>`}
    </tbody>
    ${sums !== undefined && html`<tfoot><tr>${cellsOf(sums)}</tr></tfoot>`}
  </table>`;
  if (!isWide) return table;
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}>${table}</div>`;
}
