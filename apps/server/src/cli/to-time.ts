/** Shows an instant in UTC to the second, which is all that people compare. */
export function toTime(instant: string): string {
  return `${instant.slice(0, 19).replace('T', ' ')}Z`;
}
