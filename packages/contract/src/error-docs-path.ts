/**
 * Returns the address of an error code in the reference: a path with a fragment, relative to the
 * origin of the service. Every code has such an anchor, including codes that are added later.
 */
export function errorDocsPath(code: string): string {
  return `/docs#error-${encodeURIComponent(code)}`;
}
