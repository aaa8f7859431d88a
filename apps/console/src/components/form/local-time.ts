/** Formats a time for a `datetime-local` field: in local time, to the minute. */
export function toLocalField(at: string | null): string {
  if (at === null) return '';
  const time = new Date(at);
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** Converts the value of a `datetime-local` field to UTC. Returns `null` for an empty field. */
export function fromLocalField(text: string): string | null {
  return text === '' ? null : new Date(text).toISOString();
}
