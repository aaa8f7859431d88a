import { html } from 'htm/preact';
import { linkTo, route } from '../route.ts';

/** Links to the next page of a list, and back to its first. Going back is the browser's. */
export function Pager({ nextCursor }: { nextCursor: string | undefined }) {
  const { page, query } = route.value;
  const isFirst = query['cursor'] === undefined;
  if (isFirst && nextCursor === undefined) return null;
  return html`<nav class="pager" aria-label="Pages of the list">
    ${!isFirst && html`<a href=${linkTo(page, { query: { ...query, cursor: '' } })}>First page</a>`}
    ${
      nextCursor !== undefined &&
      html`<a rel="next" href=${linkTo(page, { query: { ...query, cursor: nextCursor } })}>Next page</a>`
    }
  </nav>`;
}
