import type { ComponentChildren } from 'preact';
import { linkTo, type PageName } from '../address.ts';

/** Shows a text in place of an empty list: why the list is empty, and what to do next. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  );
}

/**
 * Shows that no row matches the filters, with a link to the unfiltered list.
 *
 * @param rows the plural name of the rows, such as "keys".
 */
export function NoMatch({ page, rows }: { page: PageName; rows: string }) {
  return (
    <Empty title={`No ${rows} match these filters.`}>
      <p>
        <a class="button" href={linkTo(page)}>
          Clear filters
        </a>
      </p>
    </Empty>
  );
}
