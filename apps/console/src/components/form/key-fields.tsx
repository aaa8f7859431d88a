import type { KeyChange, KeyDetails } from '@animal-store/admin-contract';
import type { ComponentChildren } from 'preact';
import { AccountField } from './account-field.tsx';
import { Field, textOf } from './form.tsx';
import { fromLocalField, toLocalField } from './local-time.ts';
import { readScopes, ScopeField } from './scope-field.tsx';

type Fields = Pick<KeyDetails, 'name' | 'account' | 'scopes' | 'expiresAt'>;

/**
 * The form fields that describe a key.
 *
 * @param children further fields at the end.
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

/** Reads the form fields, and returns the changes to the key. */
export function readKeyFields(form: FormData, before: Fields): KeyChange {
  const { scopes, expiresAt } = before;
  const account = textOf(form, 'account');
  const expires = textOf(form, 'expires');
  const chosen = readScopes(form);
  return {
    name: textOf(form, 'name') || null,
    // An unchanged account is not sent. The form field trims spaces. So an old account name with a
    // space at its end would otherwise be changed by accident.
    ...(account !== (before.account ?? '').trim() && { account: account || null }),
    // Unchanged scopes are not sent, because they would overwrite scopes that somebody else has
    // changed since the form was opened.
    ...(`${chosen}` !== `${scopes}` && { scopes: chosen }),
    // An unchanged expiry is not sent, because the field has no seconds and would round the time.
    ...(expires !== toLocalField(expiresAt) && { expiresAt: fromLocalField(expires) }),
  };
}
