/** Formats a time for a field of the type `datetime-local`: local, to the minute. */
export function toLocalField(at: string | null): string {
  if (at === null) return '';
  const time = new Date(at);
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** Reads such a field. An empty field is `null`. */
export function fromLocalField(text: string): string | null {
  return text === '' ? null : new Date(text).toISOString();
}
