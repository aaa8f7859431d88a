import type { KeyDetails } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { call } from '../call-admin-api.ts';
import { fromLocalField, toLocalField } from '../local-time.ts';
import { ConfirmDialog, type Reason } from './dialog.ts';

/** Asks for another name, account or expiry of a key. */
export function EditKeyDialog({
  details: { id, name, account, expiresAt },
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
          // The field has no seconds: an expiry that was not touched stays as it is.
          ...(expires !== toLocalField(expiresAt) && { expiresAt: fromLocalField(expires) }),
        },
      });
      onDone();
    }}
  >
    <label class="field">
      Name
      <input name="name" autocomplete="off" defaultValue=${name ?? ''} />
    </label>
    <label class="field">
      Account
      <input name="account" autocomplete="off" defaultValue=${account ?? ''} />
    </label>
    <label class="field">
      Expires
      <input type="datetime-local" name="expires" defaultValue=${toLocalField(expiresAt)} aria-describedby="edit-expires" />
      <small id="edit-expires">In your time zone. Leave it empty for never.</small>
    </label>
  <//>`;
}
