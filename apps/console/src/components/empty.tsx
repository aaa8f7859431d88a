import type { ComponentChildren } from 'preact';
import { linkTo, type PageName } from '../address.ts';

/** Shows what an empty list means, and what to do next. */
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

/** Shows that no entry matches a filter, with a link to the whole list. */
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
