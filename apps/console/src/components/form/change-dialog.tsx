import type { ComponentChildren } from 'preact';
import { announce } from '../notice.tsx';
import { Dialog } from './dialog.tsx';
import { Field, Form, textOf, useSubmit } from './form.tsx';

/** The reason of a change, for the audit log. */
export interface Reason {
  readonly reason?: string;
}

/** A change that needs a confirmation. */
export interface Change {
  readonly title: ComponentChildren;
  /** The consequences of the change. */
  readonly consequence: ComponentChildren;
  readonly confirmLabel: string;
  readonly isDangerous?: boolean;
  /**
   * Whether the change is in the audit log, so that the dialog asks for a reason. Nearly all
   * changes are.
   */
  readonly hasReason?: boolean;
  /** Further fields of the dialog. */
  readonly fields?: ComponentChildren;
  /** Makes the change. The dialog shows its error, and stays open. */
  readonly change: (form: FormData, query: Reason) => Promise<unknown>;
  /** The message after the change. */
  readonly done: string;
}

/** Asks for confirmation, makes the change, and shows a message. */
export function ChangeDialog({
  change: { title, consequence, confirmLabel, isDangerous, hasReason = true, fields, change, done },
  onClose,
}: {
  change: Change;
  onClose: () => void;
}) {
  const submit = useSubmit(async (form) => {
    const reason = textOf(form, 'reason');
    await change(form, reason === '' ? {} : { reason });
    onClose();
    announce(done);
  });
  const isBusy = submit.isPending;

  return (
    <Dialog title={title} onClose={isBusy ? undefined : onClose}>
      <Form
        submit={submit}
        fields={
          <>
            <div class="consequence">{consequence}</div>
            {fields}
            {hasReason && (
              <Field
                label="Reason"
                name="reason"
                autocomplete="off"
                help="Optional. It is shown in the audit log."
              />
            )}
          </>
        }
      >
        <button type="button" aria-disabled={isBusy} onClick={() => !isBusy && onClose()}>
          Cancel
        </button>
        <button type="submit" class={isDangerous ? 'danger' : 'primary'} aria-disabled={isBusy}>
          {isBusy ? 'Working…' : confirmLabel}
        </button>
      </Form>
    </Dialog>
  );
}
