import { type Deprecation, formatLinks, parseInt64 } from '@animal-store/contract';
import { appendHeader } from '@animal-store/http-server';
import type { Request, Response } from 'express';

/**
 * Creates the function that adds the headers `Deprecation`, `Sunset` and `Link` to all responses of
 * a deprecated operation, including errors.
 *
 * @param baseUrl the base URL of links, ending in `/v1`.
 */
export function announceDeprecation(
  baseUrl: string,
): (req: Pick<Request, 'tsRestRoute' | 'params'>, res: Response) => void {
  const known = new WeakMap<Deprecation, ReturnType<typeof describe>>();

  function describe({ deprecatedAt, sunsetAt, successor: { path } }: Deprecation) {
    const about = { url: `${new URL('/docs', baseUrl)}#deprecation`, rel: 'deprecation' };
    const linkTo = (successor: string) =>
      formatLinks([about, { url: baseUrl + successor, rel: 'successor-version' }]);
    return {
      // The value of `Deprecation` is a structured date: `@` and the seconds since 1970 (RFC 9745,
      // §2).
      deprecation: `@${deprecatedAt.getTime() / 1000}`,
      // The value of `Sunset` is an HTTP date (RFC 8594, §3).
      sunset: sunsetAt.toUTCString(),
      link: linkTo(path),
      linkWithoutQuery: linkTo(path.replace(/\?.*/, '')),
      names: Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name),
    };
  }

  return function addDeprecationHeaders({ tsRestRoute, params }, res) {
    const deprecation = tsRestRoute?.metadata?.deprecation;
    if (deprecation === undefined) return;
    const announcement = known.get(deprecation) ?? describe(deprecation);
    known.set(deprecation, announcement);
    let { link } = announcement;
    for (const name of announcement.names) {
      const value = params[name];
      // Only integers from the URL are copied into the `Link` header. Any other value could contain
      // a line break followed by another header (header injection).
      const isInteger = typeof value === 'string' && parseInt64(value) !== undefined;
      link = isInteger ? link.replace(`:${name}`, value) : announcement.linkWithoutQuery;
    }
    appendHeader(res, 'Deprecation', announcement.deprecation);
    appendHeader(res, 'Sunset', announcement.sunset);
    appendHeader(res, 'Link', link);
  };
}
