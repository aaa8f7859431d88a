import { announce } from './notice.tsx';

/** A button that copies a text that is too long to type, such as an id. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      announce(`Copied ${what}.`);
    } catch {
      // Browsers allow pages to use the clipboard only over HTTPS or on localhost.
      announce('Your browser blocked the copy. Select the text, and press Ctrl+C or ⌘C.');
    }
  }
  return (
    <button
      type="button"
      class="icon"
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={copy}
    >
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path d="M5.5 5.5v-2a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-2M3.5 5.5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1z" />
      </svg>
    </button>
  );
}
