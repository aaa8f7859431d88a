// RFC 9112, §3.2.2: a server must take the absolute form, too. Whose host it names does not matter.
const schemeAndAuthority = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/**
 * Gives the target of a request as path and query, which is all that a router reads.
 *
 * Express reads anything else, and a path with a fragment, by `url.parse`. That throws at a malformed
 * authority (`http://[/`, `//a@[/#`), and Express then answers in HTML before any step has run.
 */
export function originForm(target: string): string {
  const path = target.replace(schemeAndAuthority, '').replace(/#.*$/, '');
  return path.startsWith('/') ? path : `/${path}`;
}
