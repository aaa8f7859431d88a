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

/** Shows that no entry matches the filters, with a link to the unfiltered list. */
export function NoMatch({ page, title, all }: { page: PageName; title: string; all: string }) {
  return (
    <Empty title={title}>
      <p>
        <a class="button" href={linkTo(page)}>
          {all}
        </a>
      </p>
    </Empty>
  );
}
