import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { Dialog } from './dialog.tsx';

/** A dialog with a text for the operator to copy. */
export function CopyDialog({
  title,
  about,
  text,
  rows,
  copyLabel,
  buttons,
  onClose,
}: {
  title: string;
  about: ComponentChildren;
  text: string;
  /**
   * The height of the text field, in lines. If a height is given, the operator can edit the text.
   * Otherwise, the text is read-only, as for a token.
   */
  rows?: number;
  copyLabel: string;
  /** Creates further buttons for the current text, such as "Open in e-mail". */
  buttons: (text: string) => ComponentChildren;
  onClose?: () => void;
}) {
  const field = useRef<HTMLInputElement | HTMLTextAreaElement | null>(null);
  const id = useId();
  const [now, setNow] = useState(text);
  const [result, setResult] = useState('');

  const keepField = (element: typeof field.current) => {
    field.current = element;
  };

  async function copy(): Promise<void> {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(now);
      setResult('Copied.');
    } catch {
      // Browsers allow pages to use the clipboard only over HTTPS or on localhost.
      setResult('The text is selected. Press Ctrl+C or ⌘C to copy it.');
    }
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <p>{about}</p>
      <label class="field" for={id}>
        {rows === undefined ? 'Token' : 'Text'}
        {rows === undefined ? (
          <input id={id} ref={keepField} class="secret" readonly value={text} spellcheck={false} />
        ) : (
          <textarea
            id={id}
            ref={keepField}
            rows={rows}
            value={now}
            onInput={(event) => setNow(event.currentTarget.value)}
          />
        )}
      </label>
      <p role="status">{result}</p>
      <div class="actions">
        {buttons(now)}
        <button type="button" class="primary" onClick={copy}>
          {copyLabel}
        </button>
      </div>
    </Dialog>
  );
}
