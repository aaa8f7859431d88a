import { html } from 'htm/preact';
import { linkTo } from '../route.ts';
import { Name } from './name.ts';

/** A key, by its name, as a link to its page. */
export function KeyLink({ id, name, range }: { id: string; name: string | null; range?: string }) {
  return html`<a href=${linkTo('key', { id, query: { range } })}>
    <${Name} text=${name} missing=${`no name (${id.slice(0, 8)})`} />
  </a>`;
}
