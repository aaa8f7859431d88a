import type { NewOperator } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { call } from '../call-admin-api.ts';
import { ConfirmDialog, type Reason } from './dialog.ts';
import { Field } from './form.ts';

const roles: Readonly<Record<NewOperator['role'], string>> = {
  viewer: 'Viewer: sees everything',
  operator: 'Operator: also creates and changes keys',
  owner: 'Owner: also manages operators',
};

/** Asks for what a new operator needs. */
export function NewOperatorDialog({
  onCreated,
  onClose,
}: {
  onCreated: (token: string) => void;
  onClose: () => void;
}) {
  return html`<${ConfirmDialog}
    title="New operator"
    consequence="The operator gets a token, which is shown once."
    confirmLabel="Create the operator"
    onClose=${onClose}
    confirm=${async (form: FormData, query: Reason) => {
      const expires = String(form.get('expires'));
      const { token } = await call('createOperator', {
        query,
        body: {
          name: String(form.get('name')).trim(),
          role: String(form.get('role')) as NewOperator['role'],
          ...(expires !== '' && { expiresAt: new Date(expires).toISOString() }),
        },
      });
      onCreated(token);
    }}
  >
    <${Field} label="Name" name="name" required autocomplete="off" />
    <${Field} label="Role" name="role" as="select">
      ${Object.entries(roles).map(([name, label]) => html`<option value=${name}>${label}</option>`)}
    <//>
    <${Field} label="Expires" name="expires" type="datetime-local" help="In your time zone. Leave it empty for never." />
  <//>`;
}
