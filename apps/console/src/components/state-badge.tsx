import type { KeyState, ListedAccount, ListedKey } from '@animal-store/admin-contract';
import { Badge, type Tone } from './badge.tsx';
import { formatKeys } from './time/format.ts';

const tones: Readonly<Record<KeyState, Tone>> = {
  active: 'good',
  suspended: 'warning',
  expired: 'neutral',
  revoked: 'bad',
};

/**
 * Shows the state of a key, an account or an operator. A banned key has the state `active`, but its
 * requests are refused until the ban ends.
 */
export function StateBadge({
  state,
  isBanned = false,
  isAccountSuspended = false,
}: {
  state: KeyState;
  isBanned?: boolean;
  /**
   * Whether the account of the key is suspended and the key itself is not. Operators must then
   * resume the account instead of the key.
   */
  isAccountSuspended?: boolean;
}) {
  if (isAccountSuspended && state === 'suspended') {
    return <Badge tone={tones[state]} text="account suspended" />;
  }
  if (isBanned && state === 'active') return <Badge tone="warning" text="banned" />;
  return <Badge tone={tones[state]} text={state} />;
}

/** Shows the state of a key in a list of keys. */
export function KeyBadge({ state, bannedUntil, suspension }: ListedKey) {
  return (
    <StateBadge
      state={state}
      isBanned={bannedUntil !== null}
      isAccountSuspended={suspension === null}
    />
  );
}

/**
 * Shows the state of an account in a list. If the account is active, it also shows how many of its
 * keys are banned.
 */
export function AccountBadge({ suspension, keys, bannedKeys }: ListedAccount) {
  if (suspension !== null) return <StateBadge state="suspended" />;
  if (bannedKeys === 0) return <StateBadge state="active" />;
  const text = bannedKeys < keys ? `${formatKeys(bannedKeys)} banned` : 'banned';
  return <Badge tone="warning" text={text} />;
}
