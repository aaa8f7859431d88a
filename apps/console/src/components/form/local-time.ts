/** The last time that a `datetime-local` field shows in every browser. */
const lastFieldMs = Date.UTC(9999, 11, 31, 23, 59);

/** Formats a time for a `datetime-local` field: in local time, to the minute. */
export function toLocalField(at: string | null): string {
  if (at === null) return '';
  const time = new Date(at);
  const localMs = time.getTime() - time.getTimezoneOffset() * 60_000;
  // In a time zone east of UTC, the last hours of the year 9999 are in the year 10000. The field
  // would be empty, and a change of another field would remove the expiry.
  return new Date(Math.min(localMs, lastFieldMs)).toISOString().slice(0, 16);
}

/** Converts the value of a `datetime-local` field to UTC. Returns `null` for an empty field. */
export function fromLocalField(text: string): string | null {
  if (text === '') return null;
  // Browsers accept years such as 20270, which JavaScript reads only with a sign and six digits.
  // The service refuses such a time with a message for the field.
  const signed = text.replace(/^\d{5,6}(?=-)/, (year) => `+${year.padStart(6, '0')}`);
  return new Date(signed).toISOString();
}
