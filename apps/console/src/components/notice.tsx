import { signal } from '@preact/signals';

/** What has just happened. */
const notice = signal('');

/** Says that something has been done. Screen readers say it, too. */
export function announce(text: string): void {
  notice.value = text;
}

/** The place of what has just happened. It is always there, because only then changes of it are read out. */
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
