import type { ComponentChildren } from 'preact';
import { linkTo, type PageName } from '../address.ts';

/** A list without entries: what that means, and what to do next. */
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

/** A list whose filter nothing matches, with a link to all of it. */
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
