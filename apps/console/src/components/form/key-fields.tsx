import type { KeyChange, KeyDetails } from '@animal-store/admin-contract';
import type { ComponentChildren } from 'preact';
import { AccountField } from './account-field.tsx';
import { Field, textOf } from './form.tsx';
import { fromLocalField, toLocalField } from './local-time.ts';
import { readScopes, ScopeField } from './scope-field.tsx';

type Fields = Pick<KeyDetails, 'name' | 'account' | 'scopes' | 'expiresAt'>;

/**
 * The fields of a key.
 *
 * @param children further fields.
 */
export function KeyFields({
  details: { name, account, scopes, expiresAt },
  children,
}: {
  details: Fields;
  children?: ComponentChildren;
}) {
  return (
    <>
      <Field
        label="Name"
        name="name"
        required={name !== null}
        autocomplete="off"
        defaultValue={name ?? ''}
        help="Who or what the key is for. It need not be unique."
      />
      <AccountField
        defaultValue={account ?? ''}
        help="A reference of your own, such as a customer number."
      />
      {children}
      <ScopeField scopes={scopes} />
      <Field
        label="Expires"
        name="expires"
        type="datetime-local"
        defaultValue={toLocalField(expiresAt)}
        help="In your time zone. Leave empty for no expiry."
      />
    </>
  );
}

/** Reads the fields as a change of the key. */
export function readKeyFields(form: FormData, before: Fields): KeyChange {
  const { scopes, expiresAt } = before;
  const account = textOf(form, 'account');
  const expires = textOf(form, 'expires');
  const chosen = readScopes(form);
  return {
    name: textOf(form, 'name') || null,
    // The account is sent only if it was changed: the input has no spaces at its ends, but an old
    // account may have some.
    ...(account !== (before.account ?? '').trim() && { account: account || null }),
    // The scopes are sent only if they were changed, so that a recent restriction by somebody else
    // stays.
    ...(`${chosen}` !== `${scopes}` && { scopes: chosen }),
    // The field has no seconds, so an unchanged expiry is not sent.
    ...(expires !== toLocalField(expiresAt) && { expiresAt: fromLocalField(expires) }),
  };
}
