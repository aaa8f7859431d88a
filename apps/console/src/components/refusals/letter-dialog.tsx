import { useState } from 'preact/hooks';
import { CopyDialog } from '../form/copy-dialog.tsx';
import type { Letter } from './customer-letter.ts';

/**
 * A button that opens the draft of a letter to a customer. The draft does not change while it is
 * open, even if the state of the key or the account changes.
 */
export function LetterButton({ letter }: { letter: Letter }) {
  const [opened, setOpened] = useState<Letter>();
  const close = () => setOpened(undefined);
  return (
    <>
      <button type="button" onClick={() => setOpened(letter)}>
        Write to the customer…
      </button>
      {opened && (
        <CopyDialog
          title="Write to the customer"
          about="This draft contains the current facts. It contains no token and no reason for a suspension. You can edit it."
          text={opened.body}
          rows={14}
          copyLabel="Copy the text"
          buttons={(body: string) => (
            <>
              <button type="button" onClick={close}>
                Close
              </button>
              <a class="button" href={mailTo({ ...opened, body })}>
                Open as e-mail
              </a>
            </>
          )}
          onClose={close}
        />
      )}
    </>
  );
}

/** Returns a `mailto:` link without a recipient. Its lines end in CRLF, as RFC 6068 requires. */
const mailTo = ({ title, body }: Letter): string =>
  `mailto:?subject=${encodeURIComponent(title)}&body=${encodeURIComponent(body.replaceAll('\n', '\r\n'))}`;
