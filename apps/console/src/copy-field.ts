/** Copies what a field has, and selects it. Says what has happened. */
export async function copyField(
  field: HTMLInputElement | HTMLTextAreaElement | null,
): Promise<string> {
  field?.select();
  try {
    await navigator.clipboard.writeText(field?.value ?? '');
    return 'Copied.';
  } catch {
    // Browsers have a clipboard for pages only over HTTPS or on this machine.
    return 'It is selected: press Ctrl+C, or ⌘C, to copy it.';
  }
}
