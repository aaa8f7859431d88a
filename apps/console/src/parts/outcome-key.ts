import type { UsageOutcome } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { colourOf } from '../usage.ts';

export function OutcomeKey({ outcome }: { outcome: UsageOutcome }) {
  return html`<span
    class=${`key ${outcome}`}
    style=${{ '--tone': `var(--${colourOf(outcome)})` }}
    aria-hidden="true"
  ></span>`;
}
