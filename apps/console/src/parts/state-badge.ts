import type { KeyState } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { Badge, type Tone } from './badge.ts';

const tones: Readonly<Record<KeyState, Tone>> = {
  active: 'good',
  expired: 'neutral',
  revoked: 'bad',
};

/** The state of a key or an operator. */
export function StateBadge({ state }: { state: KeyState }) {
  return html`<${Badge} tone=${tones[state]} text=${state} />`;
}
