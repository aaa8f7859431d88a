/**
 * Tells whether a request has a header more than once. Node uses the first value, but a proxy in
 * front of the service may use a later value.
 */
export function isRepeated(
  { rawHeaders }: { readonly rawHeaders: readonly string[] },
  name: string,
) {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const headerName = rawHeaders[i] as string;
    if (headerName.length === name.length && headerName.toLowerCase() === name) count += 1;
  }
  return count > 1;
}
