import type { Operator } from '@animal-store/admin-contract';
import { useState } from 'preact/hooks';
import { useParameters } from '../../address.ts';
import { may } from '../../api/session.ts';
import { useAdmin } from '../../api/use-admin.ts';
import { Badge } from '../../components/badge.tsx';
import { Empty, NoMatch } from '../../components/empty.tsx';
import { isOffered } from '../../components/form/actions.tsx';
import { type Change, ChangeDialog } from '../../components/form/change-dialog.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Name } from '../../components/name.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { Filters } from '../../components/table/filters.tsx';
import { QueryField } from '../../components/table/query-fields.tsx';
import { readSearchTerm } from '../../components/table/search-term.ts';
import { Table } from '../../components/table/table.tsx';
import { CellTime } from '../../components/time/time.tsx';
import { actionsOn, createOperator, isSelf } from './operator-changes.tsx';

export function OperatorsPage() {
  const { search } = useParameters('operators');
  const operators = useAdmin('listOperators', { query: { search } });
  const [open, setOpen] = useState<Change>();
  const create = () => setOpen(createOperator());

  return (
    <>
      <div class="title">
        <h1>Operators</h1>
        {may('createOperator') && (
          <button type="button" class="primary" onClick={create}>
            New operator…
          </button>
        )}
      </div>
      <Filters label="Operators">
        <QueryField name="search" label="Name or token" read={readSearchTerm} class="long" />
      </Filters>
      <Loaded query={operators} what="the operators">
        {({ body: list }) =>
          list.length > 0 ? (
            <OperatorTable operators={list} open={setOpen} />
          ) : search !== undefined ? (
            <NoMatch page="operators" rows="operators" />
          ) : (
            <Empty title="No operators yet">
              <p>
                Anyone with the <code>ADMIN_TOKEN</code> has full access. Give each person their own
                token, so that the audit log shows who did what.
              </p>
              {may('createOperator') && (
                <p>
                  <button type="button" onClick={create}>
                    Create operator…
                  </button>
                </p>
              )}
            </Empty>
          )
        }
      </Loaded>
      {open && <ChangeDialog change={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function OperatorTable({
  operators,
  open,
}: {
  operators: readonly Operator[];
  open: (change: Change) => void;
}) {
  const isSearch = useParameters('operators').search !== undefined;
  const rows = operators.map((operator) => ({
    operator,
    actions: actionsOn(operator, { operators, isSearch }).filter(isOffered),
  }));
  return (
    <Table
      isWide
      caption="Operators"
      columns={[
        ...[{ title: 'Name', takesRest: true }, 'Role', 'State'],
        ...([
          { title: 'Tokens', minWidth: 'wide' },
          { title: 'Created', minWidth: 'wide' },
          { title: 'Expires', minWidth: 'desk' },
        ] as const),
        ...(rows.some(({ actions }) => actions.length > 0) ? ['Actions'] : []),
      ]}
      rows={rows.map(({ operator, actions }) => ({
        key: operator.id,
        cells: [
          <>
            <Name text={operator.name} />
            {isSelf(operator) && (
              <>
                {' '}
                <Badge tone="neutral" text="you" />
              </>
            )}
          </>,
          operator.role,
          <StateBadge state={operator.state} />,
          operator.tokens.map(({ prefix }) => (
            <>
              <code>{prefix}</code>{' '}
            </>
          )),
          <CellTime at={operator.createdAt} />,
          <CellTime at={operator.expiresAt} />,
          actions.length > 0 && (
            <div class="buttons">
              {actions.map((action) => (
                <button type="button" onClick={() => open(action)}>
                  {action.label}
                </button>
              ))}
            </div>
          ),
        ],
      }))}
    />
  );
}
