import { type Deprecation, formatLinks, parseInt64 } from '@animal-store/contract';
import type { Request, Response } from 'express';
import { appendHeader } from '../http/note-headers.ts';

/**
 * Creates what announces the end of a deprecated operation on all of its responses, errors included.
 *
 * @param baseUrl the start of links, ending in `/v1`.
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
      // What is not an integer may be anything, such as a line break and a header.
      const isInteger = typeof value === 'string' && parseInt64(value) !== undefined;
      link = isInteger ? link.replace(`:${name}`, value) : announcement.linkWithoutQuery;
    }
    appendHeader(res, 'Deprecation', announcement.deprecation);
    appendHeader(res, 'Sunset', announcement.sunset);
    appendHeader(res, 'Link', link);
  };
}
