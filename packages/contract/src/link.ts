/** A link in a `Link` header: its target and its relation type. */
export interface WebLink {
  url: string;
  rel: string;
}

/**
 * Formats links as the value of a `Link` header (RFC 8288, §3). The URLs must be absolute, or
 * absolute paths.
 */
export function formatLinks(links: readonly WebLink[]): string {
  return links.map(({ url, rel }) => `<${url}>; rel="${rel}"`).join(', ');
}

// Matches a link-value of RFC 8288, §3: a target, and parameters that may be quoted. The target
// cannot contain `<`. Otherwise a hostile header with thousands of `<` would make the search
// quadratic.
const linkValue = /<([^<>]*)>((?:\s*;\s*[^\s=;,"]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g;
const parameter = /;\s*([^\s=;,"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

/**
 * Finds the first link with a relation type in the value of a `Link` header.
 *
 * @param header the value of the header. Several fields can be joined by commas (RFC 9110, §5.3).
 * @returns the URL as the header contains it, which may be relative, or `undefined` if there is no
 *   such link.
 */
export function findLink(header: string, rel: string): string | undefined {
  for (const [, url, parameters = ''] of header.matchAll(linkValue)) {
    // The parameters are read one by one, because a quoted value may look like a `rel` parameter.
    // If there are several `rel` parameters, the first one applies.
    const [, , quoted, token] =
      [...parameters.matchAll(parameter)].find(([, name]) => name?.toLowerCase() === 'rel') ?? [];
    // A `rel` parameter may contain several relation types, separated by spaces. They are
    // case-insensitive (§2.1.1, §3.3).
    if ((quoted ?? token ?? '').toLowerCase().split(/\s+/).includes(rel)) return url;
  }
  return undefined;
}
