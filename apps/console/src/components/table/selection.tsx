/** The selected rows of a table, and the function that changes the selection. */
export interface Selection {
  /** The `key` of each selected row. */
  readonly selected: ReadonlySet<string>;
  readonly change: (keys: readonly string[], isSelected: boolean) => void;
  /** Returns the name of a row. Screen readers read the name as the label of the row's checkbox. */
  readonly nameOf: (key: string) => string;
}

export function SelectRow({ id, selected, change, nameOf }: Selection & { id: string }) {
  return (
    <input
      type="checkbox"
      aria-label={`Select ${nameOf(id)}`}
      checked={selected.has(id)}
      onChange={(event) => change([id], event.currentTarget.checked)}
    />
  );
}

export function SelectAll({ keys, selected, change }: Selection & { keys: readonly string[] }) {
  const count = keys.filter((key) => selected.has(key)).length;
  return (
    <input
      type="checkbox"
      aria-label="Select all rows"
      checked={count > 0 && count === keys.length}
      indeterminate={count > 0 && count < keys.length}
      onChange={(event) => change(keys, event.currentTarget.checked)}
    />
  );
}
