import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

/** A modal dialog. The browser keeps the focus inside it. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: ComponentChildren;
  /**
   * Called when the dialog is dismissed. Without this function, the operator cannot dismiss the
   * dialog.
   */
  onClose?: () => void;
  children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // The dialog opens before the first paint, so that no early key press of the operator is lost.
  useLayoutEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement;
    dialog?.showModal();
    // The first form field gets the focus. Without this call, the browser would focus the first
    // focusable element, such as a scrollable list.
    const field = dialog?.querySelector<HTMLInputElement>('input, select, textarea');
    field?.focus();
    // In a long text, the browser puts the caret at the end and scrolls to the end. The caret moves
    // to the beginning here, because the operator reads the text from the top.
    if (field?.localName === 'textarea') {
      field.setSelectionRange(0, 0);
      field.scrollTop = 0;
    }
    return () => {
      dialog?.close();
      // The page or the button that opened the dialog may no longer exist. Then the page's content
      // gets the focus.
      const isOpenerVisible = opener instanceof HTMLElement && opener.checkVisibility();
      (isOpenerVisible ? opener : document.querySelector('main'))?.focus();
    };
  }, []);

  return (
    <dialog
      ref={element}
      closedby={onClose === undefined ? 'none' : 'closerequest'}
      aria-labelledby={id}
      onClose={() => {
        // The browser has closed the dialog although the page did not ask for it. This can
        // happen in browsers without support for `closedby`. In other browsers, it happens when the
        // operator presses Escape twice.
        if (!element.current?.isConnected) return;
        if (onClose === undefined) element.current.showModal();
        else onClose();
      }}
      onCancel={(event) => {
        // `onClose` makes the page remove the dialog, so the browser must not close it, too.
        event.preventDefault();
        onClose?.();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
