import type { KeyState } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { Badge, type Tone } from './badge.ts';

const tones: Readonly<Record<KeyState, Tone>> = {
  active: 'good',
  suspended: 'warning',
  expired: 'neutral',
  revoked: 'bad',
};

/** The state of a key, an account or an operator. A banned key is active, but of no use until its ban ends. */
export function StateBadge({
  state,
  isBanned = false,
  isOfAccount = false,
}: {
  state: KeyState;
  isBanned?: boolean;
  /** Whether only the account of the key is suspended, so that it cannot be resumed by itself. */
  isOfAccount?: boolean;
}) {
  if (isOfAccount && state === 'suspended') {
    return html`<${Badge} tone=${tones[state]} text="account suspended" />`;
  }
  if (isBanned && state === 'active') return html`<${Badge} tone="warning" text="banned" />`;
  return html`<${Badge} tone=${tones[state]} text=${state} />`;
}
