import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { CopyDialog } from './form/copy-dialog.tsx';

/** A new token, and how it is shown. */
interface NewToken {
  readonly title: string;
  readonly token: string;
  readonly advice: string;
}

/** The tokens that the operator has not confirmed yet, the oldest first. */
const waiting = signal<readonly NewToken[]>([]);

export const isTokenShown = computed(() => waiting.value.length > 0);

/**
 * Shows a new token until an operator confirms that it is saved. It belongs to no page: it stays
 * when the page changes or the session ends, as for operators who replace their own token.
 */
export function showToken(issued: NewToken): void {
  waiting.value = [...waiting.value, issued];
}

/** Shows new tokens, one after another. */
export function NewTokens() {
  const [first] = waiting.value;
  const isWaiting = first !== undefined;
  useEffect(() => {
    if (!isWaiting) return;
    // The browser asks before it closes or reloads the tab.
    const ask = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isWaiting]);
  if (first === undefined) return null;
  const close = () => {
    waiting.value = waiting.value.filter((issued) => issued !== first);
  };
  // The dialog has no `onClose`, because no key press may lose the token.
  return (
    <CopyDialog
      key={first.token}
      title={first.title}
      about={
        <>
          {first.advice} <strong>It will not be shown again.</strong>
        </>
      }
      text={first.token}
      copyLabel="Copy token"
      buttons={() => (
        <button type="button" onClick={close}>
          I have saved it
        </button>
      )}
    />
  );
}
