import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

/** A dialog over the page. The browser keeps the focus inside, and gives it back afterwards. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: ComponentChildren;
  /** Called when it was dismissed; left out where it must be answered. */
  onClose?: () => void;
  children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before it is painted: who sees it may type at once.
  useLayoutEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement;
    dialog?.showModal();
    // The browser takes what comes first, such as a list that can be scrolled.
    const field = dialog?.querySelector<HTMLInputElement>('input, select, textarea');
    field?.focus();
    // A text that is there is read from its top; the browser has put the caret at its end.
    if (field?.localName === 'textarea') {
      field.setSelectionRange(0, 0);
      field.scrollTop = 0;
    }
    return () => {
      dialog?.close();
      // The page on which it was opened may be gone, or the button hidden.
      const isThere = opener instanceof HTMLElement && opener.checkVisibility();
      (isThere ? opener : document.querySelector('main'))?.focus();
    };
  }, []);

  return (
    <dialog
      ref={element}
      closedby={onClose === undefined ? 'none' : 'closerequest'}
      aria-labelledby={id}
      onClose={() => {
        // Not this page has closed it, but a browser that does not know `closedby`, or that closes on a
        // second Escape whatever the page says.
        if (!element.current?.isConnected) return;
        if (onClose === undefined) element.current.showModal();
        else onClose();
      }}
      onCancel={(event) => {
        // It is this page that removes it.
        event.preventDefault();
        onClose?.();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
