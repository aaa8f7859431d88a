import { html } from 'htm/preact';
import { useRef, useState } from 'preact/hooks';
import { Dialog } from './dialog.ts';

/** Shows a new token, once. */
export function SecretDialog({
  title,
  token,
  advice,
  onClose,
}: {
  title: string;
  token: string;
  advice: string;
  onClose: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const [result, setResult] = useState('');

  async function copy(): Promise<void> {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(token);
      setResult('Copied.');
    } catch {
      // Browsers have a clipboard for pages only over HTTPS or on this machine.
      setResult('It is selected: press Ctrl+C, or ⌘C, to copy it.');
    }
  }

  // Without `onClose`: Escape must not lose the token.
  return html`<${Dialog} title=${title}>
    <p>${advice} <strong>It is shown now and never again.</strong></p>
    <label class="field">
      Token
      <input ref=${field} class="secret" readonly value=${token} spellcheck=${false} />
    </label>
    <p role="status">${result}</p>
    <div class="actions">
      <button type="button" class="primary" onClick=${copy}>Copy the token</button>
      <button type="button" onClick=${onClose}>I have kept it</button>
    </div>
  <//>`;
}
