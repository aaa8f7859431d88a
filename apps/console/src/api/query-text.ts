/** Formats parameters as the query string of an address. Empty parameters are left out. */
export function queryText(parameters: unknown): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters ?? {})) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  return query.size === 0 ? '' : `?${query}`;
}
