import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';

/** A list without entries: what that means, and what to do next. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return html`<div class="empty">
    <p><strong>${title}</strong></p>
    ${children}
  </div>`;
}
