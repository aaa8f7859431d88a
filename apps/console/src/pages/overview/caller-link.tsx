import type { DeniedCaller } from '@animal-store/admin-contract';
import { AccountLink } from '../../components/account-link.tsx';
import { KeyLink } from '../../components/key-link.tsx';

/**
 * A link to the account of the caller. If the key of the caller belongs to no account, the link
 * leads to the key.
 */
export function CallerLink({ caller: { account, keyId, name } }: { caller: DeniedCaller }) {
  return keyId === null ? <AccountLink account={account} /> : <KeyLink id={keyId} name={name} />;
}
