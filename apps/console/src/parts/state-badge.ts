import type { KeyState, ListedAccount, ListedKey } from '@animal-store/admin-contract';
import { html } from 'htm/preact';
import { formatKeys } from '../format.ts';
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

/** The state of a key in a list. */
export function KeyBadge({ state, bannedUntil, suspension }: ListedKey) {
  return html`<${StateBadge} state=${state} isBanned=${bannedUntil !== null} isOfAccount=${suspension === null} />`;
}

/** The state of an account in a list. Of one that is active, keys may be banned: perhaps all. */
export function AccountBadge({ suspension, keys, bannedKeys }: ListedAccount) {
  if (suspension !== null) return html`<${StateBadge} state="suspended" />`;
  if (bannedKeys === 0) return html`<${StateBadge} state="active" />`;
  const text = bannedKeys < keys ? `${formatKeys(bannedKeys)} banned` : 'banned';
  return html`<${Badge} tone="warning" text=${text} />`;
}
