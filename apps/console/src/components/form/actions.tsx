import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Operation } from '../../api/operation.ts';
import { may } from '../../api/session.ts';
import { type Change, ChangeDialog } from './change-dialog.tsx';

/** A button that changes the object on a page, such as "Suspend…". */
export interface Action extends Change {
  readonly label: ComponentChildren;
  readonly needs: Operation;
  /** Whether the object is in a state that allows the change. */
  readonly isPossible: boolean;
  /** Whether the change is permanent. The button then has the colour of a warning. */
  readonly isPermanent?: boolean;
}

/** Returns whether the object's state and the operator's role allow the change. */
export const isOffered = ({ needs, isPossible }: Action): boolean => isPossible && may(needs);

/**
 * Shows the buttons of all changes that the object's state and the operator's role allow.
 *
 * @param actions the changes, indexed by name.
 */
export function Actions({ actions }: { actions: Readonly<Record<string, Action>> }) {
  const [open, setOpen] = useState<string>();
  const possible = Object.entries(actions).filter(([, action]) => isOffered(action));
  // The dialog stays open even if somebody else changes the object at the same time, so that the
  // operator does not lose any input.
  const action = open === undefined ? undefined : actions[open];
  return (
    <>
      {possible.length > 0 && (
        <div class="toolbar" role="group" aria-label="Actions">
          {possible.map(([name, { label, isPermanent = false }]) => (
            <button
              key={name}
              type="button"
              class={isPermanent ? 'danger' : ''}
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
