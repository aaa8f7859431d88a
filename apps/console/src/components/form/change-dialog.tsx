import type { ComponentChildren } from 'preact';
import { announce } from '../notice.tsx';
import { Dialog } from './dialog.tsx';
import { Field, Form, textOf, useSubmit } from './form.tsx';

/** Why something is done, for the audit log. */
export interface Reason {
  readonly reason?: string;
}

/** A change that is done after a question. */
export interface Change {
  readonly title: ComponentChildren;
  /** What will happen. */
  readonly consequence: ComponentChildren;
  readonly confirmLabel: string;
  readonly isDangerous?: boolean;
  /** Whether it is in the audit log, as nearly all are, so that it asks why. */
  readonly hasReason?: boolean;
  /** Further fields of the question. */
  readonly fields?: ComponentChildren;
  /** Does it. What it throws is shown, and the dialog stays open. */
  readonly change: (form: FormData, query: Reason) => Promise<unknown>;
  /** What is said afterwards. */
  readonly done: string;
}

/** Asks before a change, does it, and says so. */
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
