import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Dialog } from './form/dialog.tsx';

/** The shortcuts that work everywhere outside of input fields. */
const shortcuts = {
  '/': 'Search keys and accounts',
  b: 'Go to the actions for the selected keys',
  '?': 'Show these shortcuts',
} as const;

/** The keys that work in one place. */
const keysOfPlaces = {
  'In the search': '↓ and ↑ select; Enter opens the selection, an exact match, or the list',
  'In a plot':
    'Arrow keys select a time, with Shift several; Enter zooms in, − zooms out, Esc clears the selection',
  'In a dialog': 'Enter confirms, Esc cancels',
} as const;

/** Elements where a key is a letter. A checkbox accepts none. */
const typedInto = 'input:not([type=checkbox], [type=radio]), select, textarea, dialog';

/** Runs a function for a key, unless the focus is in an input field, or a dialog is open. */
export function useShortcut(shortcut: keyof typeof shortcuts, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  // This runs before the first paint, because an operator may press the key at once.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest(typedInto);
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

/** Opens the list of shortcuts. */
export function ShortcutButton() {
  return (
    <button type="button" class="quiet" onClick={() => setOpen(true)}>
      Shortcuts
    </button>
  );
}

/**
 * All shortcuts. They are outside of the parts that a phone hides, where a modal dialog would block
 * the page invisibly.
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
        {Object.entries(keysOfPlaces).map(([place, does]) => (
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
