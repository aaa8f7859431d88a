// RFC 9112, §3.2.2: a server must accept the absolute form. Its host does not matter here.
const schemeAndAuthority = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/**
 * Reduces the target of a request to its path and query.
 *
 * Express parses any other target by `url.parse`. That throws for a malformed authority (`http://[/`,
 * `//a@[/#`), and Express would send an HTML page before any middleware has run.
 */
export function originForm(target: string): string {
  const path = target.replace(schemeAndAuthority, '').replace(/#.*$/, '');
  return path.startsWith('/') ? path : `/${path}`;
}
