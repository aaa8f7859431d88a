import type { ComponentChildren } from 'preact';
import { SelectAll, type Selection, SelectRow } from './selection.tsx';

interface ColumnOptions {
  /**
   * The value of the parameter `sort` after the first click on this column. A minus sign in front
   * of the value means descending order.
   */
  readonly sort?: string;
  /**
   * Whether the list can be sorted by this column in one direction only. A second click then
   * restores the default order.
   */
  readonly isOneWay?: boolean;
  /**
   * The smallest width at which the table shows the column: 100 rem for `most`, 84 for `full`, 65
   * for `wide`, 54 for `desk` and 46 for `tablet`. A table below 34 rem shows each row as a card.
   * Cards do not contain the columns `most`, `full` and `wide`. `styles/5-tables.css` defines these
   * widths.
   */
  readonly minWidth?: 'most' | 'full' | 'wide' | 'desk' | 'tablet';
  /** Whether the column takes the remaining width. Longer text in it is truncated. */
  readonly takesRest?: boolean;
  /**
   * Whether the table first truncates long text in this column, and hides other columns only if the
   * table is still too wide.
   */
  readonly shrinks?: boolean;
}

/** The title and the options of a column. A column of numbers is right-aligned. */
export type Column =
  | string
  | (ColumnOptions & { readonly title: string })
  | (ColumnOptions & { readonly number: string });

interface Row {
  readonly key: string;
  /** The cells, one for each column. The first cell names the row. */
  readonly cells: readonly ComponentChildren[];
}

/** The current order of a table, and the function that changes it. */
export interface Sorting {
  readonly by: string;
  readonly change: (by: string) => void;
}

/**
 * A table with a caption, whose rows can be sorted and selected.
 *
 * @param options.isWide hides columns where there is no room, and shows each row as a card on a
 *   phone. The header stays visible.
 * @param options.hasOwnScroll makes the table scroll independently of the page.
 * @param options.empty the text for a table without rows.
 * @param options.aside the content next to the caption.
 * @param options.sums the cells of a last row with sums.
 */
export function Table({
  caption,
  columns,
  rows,
  isWide = false,
  hasOwnScroll = false,
  empty,
  aside,
  sums,
  sorting,
  selection,
}: {
  caption: string;
  columns: readonly Column[];
  rows: readonly Row[];
  isWide?: boolean;
  hasOwnScroll?: boolean;
  empty?: string;
  aside?: ComponentChildren;
  sums?: readonly ComponentChildren[];
  sorting?: Sorting;
  selection?: Selection;
}) {
  const classes = columns.map(classOf);
  const cellsOf = (cells: readonly ComponentChildren[]) =>
    cells.map((cell, index) => {
      const column = columns[index];
      return index === 0 ? (
        <th scope="row" class={classes[index]}>
          {cell}
        </th>
      ) : (
        <td class={classes[index]} data-title={column && titleOf(column)}>
          {cell}
        </td>
      );
    });
  const keys = rows.map(({ key }) => key);

  const table = (
    <table class={isWide ? 'wide' : ''} aria-label={aside ? caption : undefined}>
      <caption class={isWide ? 'hidden' : ''}>
        {aside ? (
          <span class="title">
            {caption} {aside}
          </span>
        ) : (
          caption
        )}
      </caption>
      <thead>
        <tr>
          {selection && (
            <td class="select">
              <SelectAll {...selection} keys={keys} />
            </td>
          )}
          {columns.map((column) => (
            <Head column={column} sorting={sorting} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells }) => (
          <tr
            key={key}
            class={selection?.selected.has(key) ? 'selected' : ''}
            onClick={followLink}
            onAuxClick={followLink}
          >
            {selection && (
              <td class="select">
                <SelectRow {...selection} id={key} />
              </td>
            )}
            {cellsOf(cells)}
          </tr>
        ))}
        {rows.length === 0 && (
          <tr>
            <td colspan={columns.length} class="missing">
              {empty}
            </td>
          </tr>
        )}
      </tbody>
      {sums !== undefined && (
        <tfoot>
          <tr>{cellsOf(sums)}</tr>
        </tfoot>
      )}
    </table>
  );
  if (!isWide && !hasOwnScroll) return table;
  // A scrollable element must be focusable, so that it can be scrolled with the keyboard.
  return (
    <section
      class={hasOwnScroll ? 'scroll' : 'whole'}
      tabIndex={hasOwnScroll ? 0 : undefined}
      aria-label={caption}
    >
      {table}
    </section>
  );
}

/**
 * Opens the link of a row when the operator clicks on the row. Buttons and text selection in the
 * row still work.
 */
function followLink(event: MouseEvent): void {
  const { target, currentTarget, button } = event;
  const isInteractive = (target as Element).closest('a, button, input, summary');
  if (isInteractive || button > 1 || `${getSelection()}` !== '') return;
  const link = (currentTarget as Element).querySelector<HTMLAnchorElement>('th a');
  if (button === 1 || event.ctrlKey || event.metaKey || event.shiftKey) {
    if (link) open(link.href, '_blank', 'noopener');
  } else link?.click();
}

const titleOf = (column: Column): string => {
  if (typeof column === 'string') return column;
  return 'number' in column ? column.number : column.title;
};

function classOf(column: Column): string {
  if (typeof column === 'string') return '';
  const { minWidth, takesRest, shrinks } = column;
  return [
    'number' in column && 'number',
    minWidth !== undefined && `min-width-${minWidth}`,
    takesRest === true && 'rest',
    shrinks === true && 'shrinks',
  ]
    .filter(Boolean)
    .join(' ');
}

/**
 * The header cell of a column. In a sortable column, the first click sorts the list, and the second
 * click reverses the order.
 */
function Head({ column, sorting }: { column: Column; sorting: Sorting | undefined }) {
  const title = titleOf(column);
  const { sort: first, isOneWay = false } = typeof column === 'string' ? {} : column;
  if (sorting === undefined || first === undefined) {
    return (
      <th scope="col" class={classOf(column)}>
        {title}
      </th>
    );
  }
  const isSorted = sorting.by.replace('-', '') === first.replace('-', '');
  const isDescending = sorting.by.startsWith('-');
  const next = isSorted ? (isOneWay ? '' : reverse(sorting.by)) : first;
  return (
    <th
      scope="col"
      class={classOf(column)}
      aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}
    >
      <button type="button" class="sort" onClick={() => sorting.change(next)}>
        {title}
        <span aria-hidden="true">{isSorted ? (isDescending ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </th>
  );
}

const reverse = (by: string) => (by.startsWith('-') ? by.slice(1) : `-${by}`);
