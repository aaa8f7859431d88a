import { html } from 'htm/preact';
import { useRef, useState } from 'preact/hooks';
import { copyField } from '../copy-field.ts';
import type { Letter } from '../customer-letter.ts';
import { Dialog } from './dialog.ts';

/** Offers a text that tells a customer the facts. It is as it was when the dialog was opened. */
export function LetterButton({ letter }: { letter: Letter }) {
  const [opened, setOpened] = useState<Letter>();
  return html`
    <button type="button" onClick=${() => setOpened(letter)}>Write to the customer…</button>
    ${opened && html`<${LetterDialog} letter=${opened} onClose=${() => setOpened(undefined)} />`}
  `;
}

function LetterDialog({ letter, onClose }: { letter: Letter; onClose: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [body, setBody] = useState(letter.body);
  const [result, setResult] = useState('');
  return html`<${Dialog} title="Write to the customer" onClose=${onClose}>
    <p>The facts as they are now, without a token and without the reason of a suspension. Change it as you like.</p>
    <label class="field">
      Text
      <textarea
        ref=${field}
        rows="14"
        value=${body}
        onInput=${(event: Event) => setBody((event.target as HTMLTextAreaElement).value)}
      ></textarea>
    </label>
    <p role="status">${result}</p>
    <div class="actions">
      <button type="button" onClick=${onClose}>Close</button>
      <a class="button" href=${mailTo({ ...letter, body })}>Open as e-mail</a>
      <button
        type="button"
        class="primary"
        onClick=${async () => setResult(await copyField(field.current))}
      >Copy the text</button>
    </div>
  <//>`;
}

/** An e-mail to nobody yet (RFC 6068: lines end in CRLF). */
const mailTo = ({ title, body }: Letter): string =>
  `mailto:?subject=${encodeURIComponent(title)}&body=${encodeURIComponent(body.replaceAll('\n', '\r\n'))}`;
