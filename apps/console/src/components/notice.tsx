import { signal } from '@preact/signals';

/** The message about the last change. */
const notice = signal('');

/** Shows a message, such as "Key created." Screen readers read it out. */
export function announce(text: string): void {
  notice.value = text;
}

/**
 * Shows the current message. The element exists even without a message, because screen readers only
 * announce changes of existing elements.
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
