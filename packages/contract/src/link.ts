/** A link of a `Link` header: its target and its relation type. */
export interface WebLink {
  url: string;
  rel: string;
}

/** Formats a `Link` header field (RFC 8288, §3). URLs must be absolute or absolute paths. */
export function formatLinks(links: readonly WebLink[]): string {
  return links.map(({ url, rel }) => `<${url}>; rel="${rel}"`).join(', ');
}

// A link-value of RFC 8288, §3: a target, then parameters, which may be quoted. A target without `<`
// keeps the search linear: a hostile header could hold thousands of them.
const linkValue = /<([^<>]*)>((?:\s*;\s*[^\s=;,"]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g;
const parameter = /;\s*([^\s=;,"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

/**
 * Finds the first link with a relation type in a `Link` header field.
 *
 * @param header the field's value. Several fields joined by commas (RFC 9110, §5.3) count as one.
 * @returns its URL as the header contains it, which may be relative, or `undefined`.
 */
export function findLink(header: string, rel: string): string | undefined {
  for (const [, url, parameters = ''] of header.matchAll(linkValue)) {
    // Parameters are read one by one, because a quoted value may look like a `rel`. The first one
    // counts.
    const [, , quoted, token] =
      [...parameters.matchAll(parameter)].find(([, name]) => name?.toLowerCase() === 'rel') ?? [];
    // Spaces separate relation types, whose case does not matter (§2.1.1, §3.3).
    if ((quoted ?? token ?? '').toLowerCase().split(/\s+/).includes(rel)) return url;
  }
  return undefined;
}
