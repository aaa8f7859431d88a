import { html } from 'htm/preact';
import { useRef, useState } from 'preact/hooks';
import { copyField } from '../copy-field.ts';
import { Dialog } from './dialog.ts';

/** A token that was just issued, and how it is shown. */
export interface NewToken {
  readonly title: string;
  readonly token: string;
  readonly advice: string;
}

export function SecretDialog({ title, token, advice, onKept }: NewToken & { onKept: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [result, setResult] = useState('');

  const copy = async () => setResult(await copyField(field.current));

  // Without `onClose`: no key must lose the token.
  return html`<${Dialog} title=${title}>
    <p>${advice} <strong>It is shown now and never again.</strong></p>
    <label class="field">
      Token
      <input ref=${field} class="secret" readonly value=${token} spellcheck=${false} />
    </label>
    <p role="status">${result}</p>
    <div class="actions">
      <button type="button" class="primary" onClick=${copy}>Copy the token</button>
      <button type="button" onClick=${onKept}>I have kept it</button>
    </div>
  <//>`;
}
