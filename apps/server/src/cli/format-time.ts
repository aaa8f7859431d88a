/** Shows an instant in UTC to the second, which is all that people compare. */
export function toTime(instant: string): string {
  return `${instant.slice(0, 19).replace('T', ' ')}Z`;
}

/** Shows an instant in UTC to the minute: the usage ledger stores no seconds. */
export function toMinute(instant: string): string {
  return `${toTime(instant).slice(0, -4)}Z`;
}

/** Shows when a key or an operator expires. */
export function toExpiry(expiresAt: string | null): string {
  return expiresAt === null ? 'never' : toTime(expiresAt);
}
