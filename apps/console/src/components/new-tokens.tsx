import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { CopyDialog } from './form/copy-dialog.tsx';

/** A new token that the page shows to the operator once. */
interface NewToken {
  readonly title: string;
  readonly token: string;
  readonly advice: string;
}

/** The new tokens that the operator has not yet confirmed as saved, the oldest first. */
const waiting = signal<readonly NewToken[]>([]);

export const isTokenShown = computed(() => waiting.value.length > 0);

/**
 * Shows a new token until the operator confirms that it is saved. The dialog stays open when the
 * operator opens another page. It also stays open when the session ends, for example because
 * operators have rotated their own token.
 */
export function showToken(issued: NewToken): void {
  waiting.value = [...waiting.value, issued];
}

/** Shows the dialogs for new tokens one after another. */
export function NewTokens() {
  const [first] = waiting.value;
  const isWaiting = first !== undefined;
  useEffect(() => {
    if (!isWaiting) return;
    // While a token is visible, the browser asks for confirmation before it closes or reloads the
    // tab.
    const ask = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isWaiting]);
  if (first === undefined) return null;
  const close = () => {
    waiting.value = waiting.value.filter((issued) => issued !== first);
  };
  // The dialog has no `onClose`, so that the operator cannot dismiss it by accident and lose the
  // token.
  return (
    <CopyDialog
      key={first.token}
      title={first.title}
      about={
        <>
          {first.advice} <strong>The token will not be shown again.</strong>
        </>
      }
      text={first.token}
      copyLabel="Copy token"
      buttons={() => (
        <button type="button" onClick={close}>
          I have saved the token
        </button>
      )}
    />
  );
}
