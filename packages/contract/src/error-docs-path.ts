/**
 * Returns the path and fragment of an error code in the API reference, relative to the origin of
 * the service. The fragment also works for codes that are added later.
 */
export function errorDocsPath(code: string): string {
  return `/docs#error-${encodeURIComponent(code)}`;
}
