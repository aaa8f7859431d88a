import { escapeUnprintable } from '@animal-store/runtime';
import stringWidth from 'string-width';

export const gap = '  ';

/** The text for a missing value. */
export const none = '-';

export type Field = readonly [name: string, value: string];

export function toCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** Formats a time in UTC, to the second. Fractions of a second are cut off. */
export function toTime(instant: string): string {
  return `${instant.slice(0, 19).replace('T', ' ')}Z`;
}

/** Formats a time in UTC, to the minute, because usage is only recorded by the minute. */
export function toMinute(instant: string): string {
  return `${toTime(instant).slice(0, -4)}Z`;
}

export function toExpiry(expiresAt: string | null): string {
  return expiresAt === null ? 'never' : toTime(expiresAt);
}

/**
 * Formats rows as a table.
 *
 * @param columns the titles of the columns, each with a function that returns the content of a
 *   cell.
 */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => string>>,
): string {
  const header = Object.keys(columns);
  const cellsOf = (row: Row) =>
    Object.values(columns).map((cellOf) => escapeUnprintable(cellOf(row)));
  const lines = [header, ...rows.map(cellsOf)];
  const widths = header.map((_, column) =>
    Math.max(...lines.map((cells) => stringWidth(cells[column] ?? ''))),
  );
  return lines.map((cells) => `${align(cells, widths)}\n`).join('');
}

export function formatFields(fields: readonly Field[]): string {
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map((field) => `${gap}${align(field, [width, 0])}\n`).join('');
}

function align(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map(
      (cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - stringWidth(cell))),
    )
    .join(gap)
    .trimEnd();
}
