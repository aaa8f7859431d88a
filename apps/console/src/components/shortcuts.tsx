import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Dialog } from './form/dialog.tsx';

/** The keyboard shortcuts that work everywhere outside of input fields. */
const shortcuts = {
  '/': 'Search keys and accounts',
  b: 'Go to the actions for the selected keys',
  '?': 'Show these shortcuts',
} as const;

/** The keyboard keys that only work in one part of a page. */
const localShortcuts = {
  'In the search':
    '↓ and ↑ select a match; Enter opens the selected match, an exact match, or the list of all matches',
  'In a plot':
    'Arrow keys select a time; Shift and an arrow key extend the selection; Enter zooms in, − zooms out, Esc clears the selection',
  'In a dialog': 'Enter confirms, Esc cancels',
} as const;

/**
 * Matches the elements that use key presses themselves, such as text fields. In these elements, a
 * key press is not a shortcut.
 */
const typingElements = 'input:not([type=checkbox], [type=radio]), select, textarea, dialog';

/**
 * Calls a function when its shortcut is pressed, unless the focus is in an input field or a dialog
 * is open.
 */
export function useShortcut(shortcut: keyof typeof shortcuts, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  // The shortcut is registered before the first paint, because an operator may press it
  // immediately.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest(typingElements);
      if (event.key !== shortcut || event.ctrlKey || event.metaKey || isTyping) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

const isOpen = signal(false);
const setOpen = (value: boolean) => {
  isOpen.value = value;
};

/** A button that opens the list of shortcuts. */
export function ShortcutButton() {
  return (
    <button type="button" class="quiet" onClick={() => setOpen(true)}>
      Shortcuts
    </button>
  );
}

/**
 * A dialog with all shortcuts. It is not inside a part of the page that is hidden on a phone.
 * Otherwise, the open dialog would be invisible and block the page.
 */
export function ShortcutHelp() {
  useShortcut('?', () => setOpen(true));
  if (!isOpen.value) return null;
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => setOpen(false)}>
      <dl class="facts">
        {Object.entries(shortcuts).map(([key, does]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </>
        ))}
        {Object.entries(localShortcuts).map(([place, does]) => (
          <>
            <dt>{place}</dt>
            <dd>{does}</dd>
          </>
        ))}
      </dl>
      <div class="actions">
        <button type="button" onClick={() => setOpen(false)}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
