/**
 * Where the reference describes an error code: a path with a fragment, relative to the origin of the
 * service. Every code has such an anchor, also one that was added later.
 */
export function errorDocsPath(code: string): string {
  return `/docs#error-${encodeURIComponent(code)}`;
}
