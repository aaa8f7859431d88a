import type { ComponentChildren } from 'preact';
import { announce } from '../notice.tsx';
import { Dialog } from './dialog.tsx';
import { Field, Form, textOf, useSubmit } from './form.tsx';

/** The query parameter that contains the reason for a change. The audit log shows the reason. */
export interface Reason {
  readonly reason?: string;
}

/** A change that the operator must confirm in a dialog. */
export interface Change {
  readonly title: ComponentChildren;
  /** A description of what the change will do. */
  readonly consequence: ComponentChildren;
  readonly confirmLabel: string;
  readonly isDangerous?: boolean;
  /**
   * Whether the dialog asks for a reason. Nearly all dialogs ask for one, because the audit log
   * records each change with its reason.
   */
  readonly hasReason?: boolean;
  /** The form fields of the dialog. The field for the reason is added to them. */
  readonly fields?: ComponentChildren;
  /** Makes the change. If it fails, the dialog shows the error and stays open. */
  readonly change: (form: FormData, query: Reason) => Promise<unknown>;
  /** The message that the page shows after the change. */
  readonly done: string;
}

/** Shows a dialog that asks for confirmation, makes the change, and shows a message. */
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
