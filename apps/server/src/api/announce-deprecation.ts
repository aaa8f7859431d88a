import { type Deprecation, formatLinks, parseInt64 } from '@animal-store/contract';
import type { Request, Response } from 'express';
import { appendHeader } from '../http/note-headers.ts';

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
      // RFC 9745, §2: a structured date, in seconds.
      deprecation: `@${deprecatedAt.getTime() / 1000}`,
      // RFC 8594, §3: an HTTP date.
      sunset: sunsetAt.toUTCString(),
      link: linkTo(path),
      linkWithoutQuery: linkTo(path.replace(/\?.*/, '')),
      names: Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name),
    };
  }

  return function announceEnd({ tsRestRoute, params }, res) {
    const deprecation = tsRestRoute?.metadata?.deprecation;
    if (deprecation === undefined) return;
    const announcement = known.get(deprecation) ?? describe(deprecation);
    known.set(deprecation, announcement);
    let { link } = announcement;
    for (const name of announcement.names) {
      const value = params[name];
      // A parameter that is not an integer may hold anything, such as a line break and a further
      // header. It must not get into a header.
      const isInteger = typeof value === 'string' && parseInt64(value) !== undefined;
      link = isInteger ? link.replace(`:${name}`, value) : announcement.linkWithoutQuery;
    }
    appendHeader(res, 'Deprecation', announcement.deprecation);
    appendHeader(res, 'Sunset', announcement.sunset);
    appendHeader(res, 'Link', link);
  };
}
