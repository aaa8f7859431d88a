import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { callForCsv, type Input } from '../call-admin-api.ts';
import type { Operation } from '../operation.ts';
import type { Ledger } from '../usage.ts';

/** What is saved: the answer of an operation, and the name of the file. */
export interface CsvSource<Name extends Operation = Operation> {
  readonly operation: Name;
  readonly input: Input<Name>;
  readonly fileName: string;
}

/** Saves what is shown as CSV, as the admin API writes it. */
export function CsvButton({ operation, input, fileName, what }: CsvSource & { what: string }) {
  const [failure, setFailure] = useState('');

  async function save(): Promise<void> {
    setFailure('');
    try {
      const address = URL.createObjectURL(await callForCsv(operation, input));
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
    <button type="button" class="quiet" onClick=${save}>CSV<span class="hidden"> of ${what}</span></button>
    <span class="failed" role="alert">${failure}</span>
  </span>`;
}

/** What a list is asked for as a whole: all of its pages become one file. */
export const withoutCursor = ({ cursor: _, ...query }: Readonly<Record<string, string>>) => query;

/** The name of a file about a span of time. No file system refuses it. */
export const csvName = (what: string, { from, to }: { from: string; to: string }): string =>
  `${what}-${[from, to].map((time) => time.slice(0, 16).replace(':', '')).join('Z-')}Z.csv`;

/** The ledger of a span of time as a file: of a key, of an account, or of all keys. */
export function usageCsv(
  what: string,
  { from, to, bucket }: Ledger,
  { keyId, account }: { keyId?: string; account?: string } = {},
): CsvSource<'getUsage'> | CsvSource<'getKeyUsage'> {
  const fileName = csvName(what, { from, to });
  const query = { bucket, from, to };
  return keyId === undefined
    ? { operation: 'getUsage', input: { query: { ...query, account } }, fileName }
    : { operation: 'getKeyUsage', input: { id: keyId, query }, fileName };
}
