import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import { ConfirmDialog, type Reason } from './dialog.ts';
import { announce } from './notice.ts';

/** A change that is done after a question. */
export interface Change {
  readonly title: ComponentChildren;
  readonly consequence: string;
  readonly confirmLabel: string;
  readonly isDangerous?: boolean;
  /** Whether it is in the audit log, as nearly all are. */
  readonly hasReason?: boolean;
  /** Further fields of the question. */
  readonly fields?: ComponentChildren;
  readonly change: (form: FormData, query: Reason) => Promise<unknown>;
  /** What is said afterwards. */
  readonly done: string;
}

/** Asks before a change, does it, and says so. */
export function ChangeDialog({
  change: { fields, change, done, ...question },
  onClose,
  onChanged,
}: {
  change: Change;
  onClose: () => void;
  onChanged: () => void;
}) {
  return html`<${ConfirmDialog}
    ...${question}
    onClose=${onClose}
    confirm=${async (form: FormData, query: Reason) => {
      await change(form, query);
      onClose();
      announce(done);
      onChanged();
    }}
  >${fields}<//>`;
}
