import { signal } from '@preact/signals';

/** The message about the last change. */
const notice = signal('');

/** Shows that a change was made. Screen readers announce it, too. */
export function announce(text: string): void {
  notice.value = text;
}

/**
 * Shows the message. The element always exists, because screen readers only announce changes of
 * existing elements.
 */
export function Notice() {
  return (
    <div class="notice" role="status">
      {notice.value !== '' && (
        <p>
          <span>{notice}</span>
          <button type="button" class="plain" onClick={() => announce('')}>
            Close
          </button>
        </p>
      )}
    </div>
  );
}
