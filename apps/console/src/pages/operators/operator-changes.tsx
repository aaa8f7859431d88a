import type { NewOperator, Operator } from '@animal-store/admin-contract';
import { call } from '../../api/call-admin-api.ts';
import { session } from '../../api/session.ts';
import { useAdmin } from '../../api/use-admin.ts';
import type { Action } from '../../components/form/actions.tsx';
import type { Change } from '../../components/form/change-dialog.tsx';
import { Field, SelectField, textOf } from '../../components/form/form.tsx';
import { fromLocalField } from '../../components/form/local-time.ts';
import { rotationBy } from '../../components/form/rotation.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Name } from '../../components/name.tsx';
import { showToken } from '../../components/new-tokens.tsx';
import { Table } from '../../components/table/table.tsx';
import { CellTime } from '../../components/time/time.tsx';

const roles: Readonly<Record<NewOperator['role'], string>> = {
  viewer: 'Viewer: can see everything',
  operator: 'Operator: can also create and change keys',
  owner: 'Owner: can also manage operators',
};

export function createOperator(): Change {
  return {
    title: 'New operator',
    consequence: 'The operator gets a token. It is shown only once.',
    confirmLabel: 'Create operator',
    fields: (
      <>
        <Field label="Name" name="name" required autocomplete="off" />
        <SelectField label="Role" name="role" options={Object.entries(roles)} />
        <Field
          label="Expires"
          name="expires"
          type="datetime-local"
          help="In your time zone. Leave empty for no expiry."
        />
      </>
    ),
    async change(form, query) {
      const { token } = await call('createOperator', { query, body: readNewOperator(form) });
      showTokenOfOperator(token);
    },
    done: 'Operator created.',
  };
}

/**
 * Returns the possible changes to an operator.
 *
 * @param operators the listed operators. If an owner is the only active owner in this list, the
 *   dialog warns that it is the last owner. A search can hide other owners, so the dialog then says
 *   that it may be the last owner.
 */
export function actionsOn(
  operator: Operator,
  { operators, isSearch }: { operators: readonly Operator[]; isSearch: boolean },
): readonly Action[] {
  const { id, name, role, state } = operator;
  const isOwn = isSelf(operator);
  const isLastOwner =
    role === 'owner' &&
    !operators.some(
      (other) => other.id !== id && other.role === 'owner' && other.state === 'active',
    );
  return [
    {
      label: (
        <>
          Rotate…<span class="hidden"> {name}</span>
        </>
      ),
      title: (
        <>
          Rotate the token of <Name text={name} />?
        </>
      ),
      needs: 'rotateOperator',
      isPossible: state === 'active',
      ...rotationBy(async (graceSeconds, query) => {
        const { token } = await call('rotateOperator', { id, query, body: { graceSeconds } });
        showTokenOfOperator(token);
      }),
      done: 'New token created.',
    },
    {
      label: (
        <>
          Sessions<span class="hidden"> of {name}</span>
        </>
      ),
      title: (
        <>
          Sessions of <Name text={name} />
        </>
      ),
      consequence: `All sessions of the operator end immediately${isOwn ? ', including yours' : ''}. The token of the operator stays valid. If the token has leaked, rotate the token or revoke the operator.`,
      confirmLabel: 'Log out everywhere',
      hasReason: false,
      needs: isOwn ? 'endSessions' : 'endOperatorSessions',
      isPossible: state === 'active',
      fields: <Sessions operatorId={id} />,
      change: () => (isOwn ? call('endSessions') : call('endOperatorSessions', { id })),
      done: 'All sessions ended.',
    },
    {
      label: (
        <>
          Revoke…<span class="hidden"> {name}</span>
        </>
      ),
      title: (
        <>
          Revoke <Name text={name} />?
        </>
      ),
      consequence: [
        isOwn && 'This operator is you: you will be logged out immediately.',
        isLastOwner &&
          `${isSearch ? 'This may be the last owner.' : 'This is the last owner.'} Without an owner, only the ADMIN_TOKEN, or the commands on the machine of an embedded server, can manage operators.`,
        'Every replica refuses the token of the operator from the next request on, and the sessions of the operator end. This cannot be undone.',
      ]
        .filter(Boolean)
        .join(' '),
      confirmLabel: 'Revoke the operator',
      isDangerous: true,
      needs: 'revokeOperator',
      isPossible: state !== 'revoked',
      change: (_form, query) => call('revokeOperator', { id, query }),
      done: 'Operator revoked.',
    },
  ];
}

export const isSelf = ({ id }: Operator): boolean => id === session.value?.session.operator.id;

/** Lists the sessions of an operator in a dialog. */
function Sessions({ operatorId }: { operatorId: string }) {
  const sessions = useAdmin('listOperatorSessions', { id: operatorId });
  return (
    <Loaded query={sessions} what="the sessions">
      {({ body: list }) => (
        <Table
          caption="Sessions"
          columns={['Started', 'Expires', 'Token']}
          rows={list.map(({ createdAt, expiresAt, tokenPrefix }) => ({
            key: createdAt,
            cells: [
              <CellTime at={createdAt} />,
              <CellTime at={expiresAt} />,
              <code>{tokenPrefix}</code>,
            ],
          }))}
          empty="No sessions."
        />
      )}
    </Loaded>
  );
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
  showToken({ title: "The operator's token", token, advice: 'Give this token to the operator.' });
}
