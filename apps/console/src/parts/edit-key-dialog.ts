import type { KeyDetails } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { call } from '../call-admin-api.ts';
import { fromLocalField, toLocalField } from '../local-time.ts';
import { ConfirmDialog, type Reason } from './dialog.ts';
import { Field } from './form.ts';
import { readScopes, ScopeField } from './scope-field.ts';

/** Asks for another name, account or expiry of a key, or for other scopes. */
export function EditKeyDialog({
  details: { id, name, account, scopes, expiresAt },
  onDone,
  onClose,
}: {
  details: KeyDetails;
  onDone: () => void;
  onClose: () => void;
}) {
  return html`<${ConfirmDialog}
    title="Edit the key"
    consequence="Name and account are for people only. From the time of expiry on, all replicas refuse the key; until then it can be changed again."
    confirmLabel="Save"
    onClose=${onClose}
    confirm=${async (form: FormData, query: Reason) => {
      const text = (field: string) => String(form.get(field)).trim();
      const expires = text('expires');
      await call('changeKey', {
        id,
        query,
        body: {
          name: text('name') || null,
          account: text('account') || null,
          // Only if it was changed: what somebody else has just forbidden stays so.
          ...(`${readScopes(form)}` !== `${scopes}` && { scopes: readScopes(form) }),
          // The field has no seconds: an expiry that was not touched stays as it is.
          ...(expires !== toLocalField(expiresAt) && { expiresAt: fromLocalField(expires) }),
        },
      });
      onDone();
    }}
  >
    <${Field} label="Name" name="name" autocomplete="off" defaultValue=${name ?? ''} />
    <${Field} label="Account" name="account" autocomplete="off" defaultValue=${account ?? ''} />
    <${ScopeField} scopes=${scopes} />
    <${Field}
      label="Expires"
      name="expires"
      type="datetime-local"
      defaultValue=${toLocalField(expiresAt)}
      help="In your time zone. Leave it empty for never."
    />
  <//>`;
}
