import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Operation } from '../../api/operation.ts';
import { may } from '../../api/session.ts';
import { type Change, ChangeDialog } from './change-dialog.tsx';

/** A change that a page offers. */
export interface Action extends Change {
  readonly label: ComponentChildren;
  readonly needs: Operation;
  /** Whether the state of what it changes allows it. */
  readonly isPossible: boolean;
  /** Has also the button that leads to the question warn. */
  readonly isForGood?: boolean;
}

/** Whether the state and the role of the operator allow it. */
export const isOffered = ({ needs, isPossible }: Action): boolean => isPossible && may(needs);

/** What can be done, as far as the state and the role of the operator allow it: by name, a button each. */
export function Actions({ actions }: { actions: Readonly<Record<string, Action>> }) {
  const [open, setOpen] = useState<string>();
  const possible = Object.entries(actions).filter(([, action]) => isOffered(action));
  // Also if somebody else has made it impossible meanwhile: what was typed stays.
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
