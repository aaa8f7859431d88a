import type { ListedKey } from '@animal-store/admin-contract';
import { useRef, useState } from 'preact/hooks';
import { call } from '../../api/call-admin-api.ts';
import { may } from '../../api/session.ts';
import { AccountField } from '../../components/form/account-field.tsx';
import { ChangeDialog, type Reason } from '../../components/form/change-dialog.tsx';
import { confirmSimilarAccount } from '../../components/form/confirm-similar-account.ts';
import { textOf } from '../../components/form/form.tsx';
import { KeyName, Name } from '../../components/name.tsx';
import { useShortcut } from '../../components/shortcuts.tsx';
import { formatCount, formatKeys } from '../../components/time/format.ts';
import { changeEach, type Remaining } from './change-each.ts';

interface BulkAction {
  readonly label: string;
  readonly operation: 'changeKey' | 'unbanKey' | 'suspendKey' | 'resumeKey' | 'revokeKey';
  /** A description of what the action does. */
  readonly consequence: string;
  readonly past: string;
  readonly isDangerous?: boolean;
  readonly isPossible: (key: ListedKey) => boolean;
}

/** Returns whether a key can be changed. Operators can also change suspended keys. */
const isCurrent = ({ state }: ListedKey) => state === 'active' || state === 'suspended';

const actions: readonly BulkAction[] = [
  {
    label: 'Move to an account',
    operation: 'changeKey',
    consequence: 'The keys move to another account. Their tokens, plans and usage stay.',
    past: 'moved',
    isPossible: isCurrent,
  },
  {
    label: 'Unban',
    operation: 'unbanKey',
    consequence:
      'The bans end immediately on all replicas. Strikes (requests sent too early after a 429) are cleared. Earlier requests still count toward the limits.',
    past: 'unbanned',
    isPossible: (key) => isCurrent(key) && key.bannedUntil !== null,
  },
  {
    label: 'Suspend',
    operation: 'suspendKey',
    consequence:
      'All replicas refuse the keys within a second, until you resume them. Earlier requests still count toward the limits.',
    past: 'suspended',
    isPossible: (key) => isCurrent(key) && key.suspension === null,
  },
  {
    label: 'Resume',
    operation: 'resumeKey',
    consequence: 'All replicas accept the keys again within a second.',
    past: 'resumed',
    isPossible: (key) => isCurrent(key) && key.suspension !== null,
  },
  {
    label: 'Revoke',
    operation: 'revokeKey',
    consequence:
      'All replicas refuse the keys within a second. This cannot be undone. Their users need new keys.',
    past: 'revoked',
    isDangerous: true,
    isPossible: ({ state }) => state !== 'revoked',
  },
];

/**
 * The bar below a list of keys. It shows how many keys are selected, and buttons to change them.
 */
export function BulkActions({ keys, onDone }: { keys: readonly ListedKey[]; onDone: () => void }) {
  const [open, setOpen] = useState<BulkAction>();
  const allowed = actions.filter(({ operation }) => may(operation));
  const bar = useRef<HTMLDivElement>(null);
  // On a phone, a button opens and closes the list of actions.
  const [isUnfolded, setUnfolded] = useState(false);
  useShortcut('b', () => {
    const buttons = [...(bar.current?.querySelectorAll('button') ?? [])];
    buttons.find((button) => button.checkVisibility())?.focus();
  });
  return (
    <>
      <div
        ref={bar}
        class={isUnfolded ? 'bulk open' : 'bulk'}
        role="group"
        aria-label="Selected keys"
        hidden={keys.length === 0}
      >
        <span role="status">{formatKeys(keys.length)} selected</span>
        <button
          type="button"
          class="fold"
          aria-expanded={isUnfolded}
          onClick={() => setUnfolded(!isUnfolded)}
        >
          Actions
        </button>
        {allowed.map((action) => (
          <button
            type="button"
            key={action.label}
            class={action.isDangerous === true ? 'danger' : ''}
            onClick={() => setOpen(action)}
          >
            {action.label}…
          </button>
        ))}
        <button type="button" class="plain" onClick={onDone}>
          Clear
        </button>
      </div>
      {open !== undefined && (
        <BulkDialog action={open} keys={keys} onClose={() => setOpen(undefined)} onDone={onDone} />
      )}
    </>
  );
}

/**
 * A dialog that lists the selected keys and asks once for confirmation. Each key is changed by its
 * own request, and has its own entry in the audit log.
 */
function BulkDialog({
  action: { label, consequence, past, isDangerous, isPossible, operation },
  keys: selected,
  onClose,
  onDone,
}: {
  action: BulkAction;
  keys: readonly ListedKey[];
  onClose: () => void;
  onDone: () => void;
}) {
  // The dialog keeps the keys from the moment when it was opened, because the list behind it
  // continues to change.
  const [keys] = useState(() => selected.filter(isPossible));
  const [remaining, setRemaining] = useState<Remaining<ListedKey>>({ items: keys, failures: [] });
  const skipped = useState(selected.length - keys.length)[0];

  async function changeAll(form: FormData, query: Reason): Promise<void> {
    const account = textOf(form, 'account') || null;
    if (operation === 'changeKey') await confirmSimilarAccount(account);
    const change = ({ id }: ListedKey) =>
      operation === 'changeKey'
        ? call(operation, { id, query, body: { account } })
        : call(operation, { id, query });
    const left = await changeEach(remaining.items, change, setRemaining);
    const [failed] = left.failures;
    if (failed === undefined) return;
    throw new Error(
      `${formatKeys(keys.length - left.items.length)} ${past}, ${formatCount(left.items.length)} not ${past}: ${failed.error.message} Confirm again to retry the keys that failed.`,
    );
  }

  return (
    <ChangeDialog
      change={{
        title: `${label}: ${formatKeys(remaining.items.length)}`,
        consequence: (
          <>
            <p>{consequence}</p>
            {skipped > 0 && (
              <p class="muted">
                {formatKeys(skipped)} skipped because of {skipped === 1 ? 'its' : 'their'} current
                state.
              </p>
            )}
            {/*
             * biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be
             * reachable by keyboard
             */}
            <ul class="chosen" tabIndex={0} aria-label="Keys to change">
              {remaining.items.map(({ id, name, account }) => (
                <li key={id}>
                  <KeyName id={id} name={name} />
                  <span class="muted">
                    {' '}
                    · <Name text={account} missing="no account" />
                  </span>
                </li>
              ))}
            </ul>
          </>
        ),
        confirmLabel: `${label.split(' ')[0]} ${formatKeys(remaining.items.length)}`,
        isDangerous,
        fields: operation === 'changeKey' && (
          <AccountField help="Leave empty to remove the keys from their account." />
        ),
        async change(form, query) {
          await changeAll(form, query);
          onDone();
        },
        done: `${formatKeys(keys.length)} ${past}.`,
      }}
      onClose={() => {
        onClose();
        if (remaining.items.length < keys.length) onDone();
      }}
    />
  );
}
