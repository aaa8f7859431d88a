import type { Operator } from '@animal-store/admin-contract';
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { call } from '../call-admin-api.ts';
import { isOffered } from '../parts/actions.ts';
import { Badge } from '../parts/badge.ts';
import { type Change, ChangeDialog } from '../parts/change-dialog.ts';
import { Empty, NoMatch } from '../parts/empty.ts';
import { Filters } from '../parts/filters.ts';
import { Loaded } from '../parts/loaded.ts';
import { Name } from '../parts/name.ts';
import { actionsOn, createOperator, isSelf } from '../parts/operator-changes.ts';
import { QueryField } from '../parts/query-fields.ts';
import { StateBadge } from '../parts/state-badge.ts';
import { Table } from '../parts/table.ts';
import { CellTime } from '../parts/time.ts';
import { usePolling } from '../polling.ts';
import { route } from '../route.ts';
import { readSearchTerm } from '../search-term.ts';
import { may } from '../session.ts';

export function OperatorsPage() {
  const { search } = route.value.query;
  const operators = usePolling(`operators ${search}`, (signal) =>
    call('listOperators', { query: { search }, signal }),
  );
  const [open, setOpen] = useState<Change>();
  const create = () => setOpen(createOperator());

  return html`
    <div class="title">
      <h1>Operators</h1>
      ${
        may('createOperator') &&
        html`<button type="button" class="primary" onClick=${create}>New operator…</button>`
      }
    </div>
    <${Filters} label="Operators">
      <${QueryField} name="search" label="Name or token" read=${readSearchTerm} class="long" />
    <//>
    <${Loaded} of=${operators} what="the operators">
      ${(list: Operator[]) =>
        list.length > 0
          ? html`<${OperatorTable} operators=${list} open=${setOpen} />`
          : search !== undefined
            ? html`<${NoMatch} title="No operator matches." all="Show all operators" />`
            : html`<${Empty} title="There are no named operators.">
                <p>
                  Whoever has the <code>ADMIN_TOKEN</code> is one. Give everybody a token of their own, so that the
                  audit log can tell who did what.
                </p>
                ${
                  may('createOperator') &&
                  html`<p><button type="button" onClick=${create}>Create the first one…</button></p>`
                }
              <//>`}
    <//>
    ${
      open &&
      html`<${ChangeDialog}
        change=${open}
        onClose=${() => setOpen(undefined)}
        onChanged=${operators.refresh}
      />`
    }
  `;
}

function OperatorTable({
  operators,
  open,
}: {
  operators: readonly Operator[];
  open: (change: Change) => void;
}) {
  const rows = operators.map((operator) => ({
    operator,
    actions: actionsOn(operator, operators).filter(isOffered),
  }));
  return html`<${Table}
    isWide
    caption="Operators"
    columns=${[
      ...[{ title: 'Name', takesRest: true }, 'Role', 'State'],
      ...([
        { title: 'Tokens', room: 'wide' },
        { title: 'Created', room: 'wide' },
        { title: 'Expires', room: 'desk' },
      ] as const),
      ...(rows.some(({ actions }) => actions.length > 0) ? ['Actions'] : []),
    ]}
    rows=${rows.map(({ operator, actions }) => ({
      key: operator.id,
      cells: [
        html`<${Name} text=${operator.name} />${isSelf(operator) && html` <${Badge} tone="neutral" text="you" />`}`,
        operator.role,
        html`<${StateBadge} state=${operator.state} />`,
        operator.tokens.map(({ prefix }) => html`<code>${prefix}</code> `),
        html`<${CellTime} at=${operator.createdAt} />`,
        html`<${CellTime} at=${operator.expiresAt} />`,
        actions.length > 0 &&
          html`<div class="buttons">
            ${actions.map((action) => html`<button type="button" onClick=${() => open(action)}>${action.label}</button>`)}
          </div>`,
      ],
    }))}
  />`;
}
