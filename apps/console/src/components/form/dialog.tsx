import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

/** A modal dialog. The browser keeps the focus inside, and restores it afterwards. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: ComponentChildren;
  /** Called when the dialog is dismissed. Left out if it must be answered. */
  onClose?: () => void;
  children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // This runs before the first paint, because an operator may type at once.
  useLayoutEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement;
    dialog?.showModal();
    // The browser would focus the first element, such as a scrollable list.
    const field = dialog?.querySelector<HTMLInputElement>('input, select, textarea');
    field?.focus();
    // Existing text is read from its top, but the browser has put the caret at its end.
    if (field?.localName === 'textarea') {
      field.setSelectionRange(0, 0);
      field.scrollTop = 0;
    }
    return () => {
      dialog?.close();
      // The page or the button that opened the dialog may be gone.
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
        // The browser has closed the dialog: it does not support `closedby`, or closes on a second
        // Escape.
        if (!element.current?.isConnected) return;
        if (onClose === undefined) element.current.showModal();
        else onClose();
      }}
      onCancel={(event) => {
        // Only this page removes the dialog.
        event.preventDefault();
        onClose?.();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
