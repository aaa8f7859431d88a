import { useState } from 'preact/hooks';

/** A button that saves a text as a CSV file. */
export function CsvButton({
  fileName,
  write,
  what,
}: {
  fileName: string;
  write: () => string | Promise<string>;
  /** A description of the file's content, such as "all keys that match". */
  what: string;
}) {
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

  return (
    <span class="csv">
      <button type="button" onClick={save}>
        CSV<span class="hidden"> of {what}</span>
      </button>
      <span class="failed" role="alert">
        {failure}
      </span>
    </span>
  );
}

/** Creates the name of a CSV file for a period. The name is valid in every file system. */
export const csvName = (what: string, { from, to }: { from: string; to: string }): string =>
  `${what}-${[from, to].map((time) => time.slice(0, 16).replace(':', '')).join('Z-')}Z.csv`;
