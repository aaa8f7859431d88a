import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Operation } from '../../api/operation.ts';
import { may } from '../../api/session.ts';
import { type Change, ChangeDialog } from './change-dialog.tsx';

/** A change on a page. */
export interface Action extends Change {
  readonly label: ComponentChildren;
  readonly needs: Operation;
  /** Whether the state of the object allows the change. */
  readonly isPossible: boolean;
  /** Makes the button of the dialog a warning, too. */
  readonly isForGood?: boolean;
}

/** Whether the state and the role of the operator allow it. */
export const isOffered = ({ needs, isPossible }: Action): boolean => isPossible && may(needs);

/** Shows a button for each change that the state and the role of the operator allow, by name. */
export function Actions({ actions }: { actions: Readonly<Record<string, Action>> }) {
  const [open, setOpen] = useState<string>();
  const possible = Object.entries(actions).filter(([, action]) => isOffered(action));
  // The dialog stays open if somebody else has made the change impossible, so that the input is not
  // lost.
  const action = open === undefined ? undefined : actions[open];
  return (
    <>
      {possible.length > 0 && (
        <div class="toolbar" role="group" aria-label="Actions">
          {possible.map(([name, { label, isForGood = false }]) => (
            <button
              key={name}
              type="button"
              class={isForGood ? 'danger' : ''}
              onClick={() => setOpen(name)}
            >
              {label}
            </button>
          ))}
        </div>
      )}
      {action && <ChangeDialog change={action} onClose={() => setOpen(undefined)} />}
    </>
  );
}
