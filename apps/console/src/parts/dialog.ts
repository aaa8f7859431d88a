import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

/** A dialog over the page. The browser keeps the focus inside, and gives it back afterwards. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  /** Called when it was dismissed; left out where it must be answered. */
  onClose?: () => void;
  children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);

  return html`<dialog
    ref=${element}
    aria-labelledby=${id}
    onCancel=${(event: Event) => {
      // It is this page that removes it.
      event.preventDefault();
      onClose?.();
    }}
  >
    <h2 id=${id}>${title}</h2>
    ${children}
  </dialog>`;
}

/** Why something is done, for the audit log. */
export interface Reason {
  readonly reason?: string;
}

/** A question before something is done: it says what will happen. */
export function ConfirmDialog({
  title,
  consequence,
  confirmLabel,
  isDangerous = false,
  confirm,
  onClose,
  children,
}: {
  title: string;
  consequence: ComponentChildren;
  confirmLabel: string;
  isDangerous?: boolean;
  /** Does it. What it throws is shown, and the dialog stays open. */
  confirm: (form: FormData, query: Reason) => Promise<void>;
  onClose: () => void;
  /** Further fields. */
  children?: ComponentChildren;
}) {
  const id = useId();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const form = new FormData(event.currentTarget as HTMLFormElement);
      const reason = String(form.get('reason')).trim();
      await confirm(form, reason === '' ? {} : { reason });
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  }

  return html`<${Dialog} title=${title} onClose=${onClose}>
    <form onSubmit=${submit}>
      <div class="consequence">${consequence}</div>
      ${children}
      <label class="field">
        Reason
        <input name="reason" autocomplete="off" aria-describedby=${`${id}-reason`} />
        <small id=${`${id}-reason`}>For the audit log. It may stay empty.</small>
      </label>
      <p class="failed" role="alert">${failure}</p>
      <div class="actions">
        <button type="button" onClick=${onClose}>Cancel</button>
        <button
          type="submit"
          class=${isDangerous ? 'danger' : 'primary'}
          aria-disabled=${isBusy}
        >${isBusy ? 'Working…' : confirmLabel}</button>
      </div>
    </form>
  <//>`;
}
