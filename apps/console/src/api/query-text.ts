/** Formats parameters as the query string of an address. Empty parameters are left out. */
export function queryText(parameters: unknown): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters ?? {})) {
    if (value !== undefined && value !== '') given.set(name, String(value));
  }
  return given.size === 0 ? '' : `?${given}`;
}
