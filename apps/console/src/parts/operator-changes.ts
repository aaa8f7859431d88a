import type { NewOperator, Operator } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { call } from '../call-admin-api.ts';
import { fromLocalField } from '../local-time.ts';
import type { Change } from './change-dialog.ts';
import { Field, textOf } from './form.ts';
import { Name } from './name.ts';
import { showToken } from './new-tokens.ts';
import { rotationBy } from './rotation.ts';

const roles: Readonly<Record<NewOperator['role'], string>> = {
  viewer: 'Viewer: sees everything',
  operator: 'Operator: also creates and changes keys',
  owner: 'Owner: also manages operators',
};

export function createOperator(): Change {
  return {
    title: 'New operator',
    consequence: 'The operator gets a token, which is shown once.',
    confirmLabel: 'Create the operator',
    fields: html`
      <${Field} label="Name" name="name" required autocomplete="off" />
      <${Field} label="Role" name="role" as="select">
        ${Object.entries(roles).map(([name, label]) => html`<option value=${name}>${label}</option>`)}
      <//>
      <${Field} label="Expires" name="expires" type="datetime-local" help="In your time zone. Leave it empty for never." />
    `,
    async change(form, query) {
      const { token } = await call('createOperator', { query, body: readNewOperator(form) });
      showTokenOfOperator(token);
    },
    done: 'The operator is created.',
  };
}

export function rotateOperator({ id, name }: Operator): Change {
  return {
    title: html`Rotate the token of <${Name} text=${name} />?`,
    ...rotationBy(async (graceSeconds, query) => {
      const { token } = await call('rotateOperator', { id, query, body: { graceSeconds } });
      showTokenOfOperator(token);
    }),
    done: 'The operator has a new token.',
  };
}

export function revokeOperator({ id, name }: Operator): Change {
  return {
    title: html`Revoke <${Name} text=${name} />?`,
    consequence:
      'Every replica refuses the operator from the next request on, and its sessions end. This is for good.',
    confirmLabel: 'Revoke the operator',
    isDangerous: true,
    change: (_form, query) => call('revokeOperator', { id, query }),
    done: 'The operator is revoked.',
  };
}

function readNewOperator(form: FormData): NewOperator {
  const expiresAt = fromLocalField(textOf(form, 'expires'));
  return {
    name: textOf(form, 'name'),
    role: textOf(form, 'role') as NewOperator['role'],
    ...(expiresAt !== null && { expiresAt }),
  };
}

function showTokenOfOperator(token: string): void {
  showToken({ title: "The operator's token", token, advice: 'Give it to the operator.' });
}
