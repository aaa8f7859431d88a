import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import { ConfirmDialog, type Reason } from './dialog.ts';

const graces = [
  [0, 'not at all'],
  [3_600, 'an hour'],
  [86_400, 'a day'],
  [7 * 86_400, '7 days'],
  [30 * 86_400, '30 days'],
] as const;

/** Asks how long the tokens before a rotation stay valid. */
export function RotateDialog({
  title,
  rotate,
  onClose,
}: {
  title: ComponentChildren;
  rotate: (graceSeconds: number, query: Reason) => Promise<void>;
  onClose: () => void;
}) {
  return html`<${ConfirmDialog}
    title=${title}
    consequence="A new token is created and shown once. The present ones stay valid for the time that you choose, and never longer than an earlier rotation left them."
    confirmLabel="Create a new token"
    onClose=${onClose}
    confirm=${(form: FormData, query: Reason) => rotate(Number(form.get('grace')), query)}
  >
    <label class="field">
      The present tokens stay valid
      <select name="grace">
        ${graces.map(
          ([seconds, label]) =>
            html`<option value=${seconds} selected=${seconds === 86_400}>${label}</option>`,
        )}
      </select>
    </label>
  <//>`;
}
