import type { Operator } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { call } from '../call-admin-api.ts';
import { ConfirmDialog, type Reason } from '../parts/dialog.ts';
import { Empty } from '../parts/empty.ts';
import { Loaded } from '../parts/loaded.ts';
import { Name } from '../parts/name.ts';
import { NewOperatorDialog } from '../parts/new-operator-dialog.ts';
import { showToken } from '../parts/new-tokens.ts';
import { announce } from '../parts/notice.ts';
import { RotateDialog } from '../parts/rotate-dialog.ts';
import { StateBadge } from '../parts/state-badge.ts';
import { Table } from '../parts/table.ts';
import { CellTime } from '../parts/time.ts';
import { usePolling } from '../polling.ts';
import { may } from '../session.ts';

type Open =
  | { readonly dialog: 'create' }
  | { readonly dialog: 'rotate' | 'revoke'; readonly operator: Operator };

/** Who may use the admin API. */
export function OperatorsPage() {
  const operators = usePolling('operators', (signal) => call('listOperators', { signal }));
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);

  function show(token: string): void {
    showToken({ title: "The operator's token", token, advice: 'Give it to the operator.' });
  }

  function done(text: string): void {
    close();
    announce(text);
    operators.refresh();
  }

  return html`
    <div class="title">
      <h1>Operators</h1>
      ${
        may('createOperator') &&
        html`<button type="button" class="primary" onClick=${() => setOpen({ dialog: 'create' })}>New operator…</button>`
      }
    </div>
    <${Loaded} of=${operators} what="the operators">
      ${(list: Operator[]) =>
        list.length === 0
          ? html`<${Empty} title="There are no named operators.">
              <p>
                Whoever has the <code>ADMIN_TOKEN</code> is one. Give everybody a token of their own, so that the
                audit log can tell who did what.
              </p>
              ${
                may('createOperator') &&
                html`<p><button type="button" onClick=${() => setOpen({ dialog: 'create' })}>Create the first one…</button></p>`
              }
            <//>`
          : html`<${OperatorTable} operators=${list} open=${setOpen} />`}
    <//>
    ${
      open?.dialog === 'create' &&
      html`<${NewOperatorDialog}
        onClose=${close}
        onCreated=${(issued: string) => {
          show(issued);
          done('The operator is created.');
        }}
      />`
    }
    ${
      open?.dialog === 'rotate' &&
      html`<${RotateDialog}
        title=${html`Rotate the token of <${Name} text=${open.operator.name} />?`}
        onClose=${close}
        rotate=${async (graceSeconds: number, query: Reason) => {
          const issued = await call('rotateOperator', {
            id: open.operator.id,
            query,
            body: { graceSeconds },
          });
          show(issued.token);
          done('The operator has a new token.');
        }}
      />`
    }
    ${
      open?.dialog === 'revoke' &&
      html`<${ConfirmDialog}
        title=${html`Revoke <${Name} text=${open.operator.name} />?`}
        consequence="Every replica refuses the operator from the next request on, and its sessions end. This is for good."
        confirmLabel="Revoke the operator"
        isDangerous
        onClose=${close}
        confirm=${async (_form: FormData, query: Reason) => {
          await call('revokeOperator', { id: open.operator.id, query });
          done('The operator is revoked.');
        }}
      />`
    }
  `;
}

function OperatorTable({
  operators,
  open,
}: {
  operators: readonly Operator[];
  open: (open: Open) => void;
}) {
  const hasActions = may('rotateOperator') || may('revokeOperator');
  return html`<${Table}
    isWide
    caption="Operators"
    columns=${[
      ...[{ title: 'Name', takesRest: true }, 'Role', 'State'],
      ...([
        { title: 'Tokens', room: 'desk' },
        { title: 'Created', room: 'desk' },
        'Expires',
      ] as const),
      ...(hasActions ? ['Actions'] : []),
    ]}
    rows=${operators.map((operator) => ({
      key: operator.id,
      cells: [
        html`<${Name} text=${operator.name} />`,
        operator.role,
        html`<${StateBadge} state=${operator.state} />`,
        operator.tokens.map(({ prefix }) => html`<code>${prefix}</code> `),
        html`<${CellTime} at=${operator.createdAt} />`,
        html`<${CellTime} at=${operator.expiresAt} />`,
        ...(hasActions ? [html`<${OperatorActions} operator=${operator} open=${open} />`] : []),
      ],
    }))}
  />`;
}

function OperatorActions({ operator, open }: { operator: Operator; open: (open: Open) => void }) {
  return html`<div class="buttons">
    ${
      operator.state === 'active' &&
      html`<button type="button" onClick=${() => open({ dialog: 'rotate', operator })}>
        Rotate…<span class="hidden"> ${operator.name}</span>
      </button>`
    }
    ${
      operator.state !== 'revoked' &&
      html`<button type="button" class="danger" onClick=${() => open({ dialog: 'revoke', operator })}>
        Revoke…<span class="hidden"> ${operator.name}</span>
      </button>`
    }
  </div>`;
}
