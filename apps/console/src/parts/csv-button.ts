import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { bucketColumns, toCsv } from '../csv.ts';
import { type Ledger, toBuckets } from '../usage.ts';

/** What is saved, and the name of the file. */
export interface CsvSource {
  readonly fileName: string;
  readonly write: () => string | Promise<string>;
}

export function CsvButton({ fileName, write, what }: CsvSource & { what: string }) {
  const [failure, setFailure] = useState('');

  async function save(): Promise<void> {
    setFailure('');
    try {
      const address = URL.createObjectURL(new Blob([await write()], { type: 'text/csv' }));
      const link = document.createElement('a');
      link.href = address;
      link.download = fileName;
      link.click();
      URL.revokeObjectURL(address);
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    }
  }

  return html`<span class="csv">
    <button type="button" onClick=${save}>CSV<span class="hidden"> of ${what}</span></button>
    <span class="failed" role="alert">${failure}</span>
  </span>`;
}

/** What a list is asked for as a whole: all of its pages become one file. */
export const withoutCursor = ({ cursor: _, ...query }: Readonly<Record<string, string>>) => query;

/** The name of a file about a span of time. No file system refuses it. */
export const csvName = (what: string, { from, to }: { from: string; to: string }): string =>
  `${what}-${[from, to].map((time) => time.slice(0, 16).replace(':', '')).join('Z-')}Z.csv`;

/** What a plot shows of a span of time, as a file. */
export const usageCsv = (what: string, ledger: Ledger): CsvSource => ({
  fileName: csvName(what, ledger),
  write: () => toCsv(toBuckets(ledger), bucketColumns),
});
