import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';

/** One number that is looked at often. */
export function Figure({
  label,
  value,
  note,
  tone,
}: {
  label: string;
  value: string;
  note: ComponentChildren;
  tone?: 'warning' | 'bad' | undefined;
}) {
  return html`<div class="meter">
    <h2 class="label">${label}</h2>
    <p class="figure"><strong class=${tone ?? ''}>${value}</strong></p>
    <p class="muted">${note}</p>
  </div>`;
}
