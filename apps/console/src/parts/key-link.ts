import { html } from 'htm/preact';
import { linkInTime } from '../time-range.ts';
import { Name } from './name.ts';

/**
 * A key, by its name, as a link to its page.
 *
 * @param range the span of time that it shows, unless somebody has chosen one.
 */
export function KeyLink({ id, name, range }: { id: string; name: string | null; range?: string }) {
  return html`<a href=${linkInTime('key', { id, ...(range !== undefined && { usual: range }) })}>
    <${Name} text=${name} missing=${`no name (${id.slice(0, 8)})`} />
  </a>`;
}
