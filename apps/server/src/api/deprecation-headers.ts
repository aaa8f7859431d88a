import { formatLinks } from '@animal-store/contract';
import type { Response } from 'express';
import { operationRoutes } from './public-routes.ts';

/** Creates the step that announces the end of a deprecated operation on all of its responses, errors included. */
export function createDeprecationHeaders(baseUrl: string): (res: Response) => void {
  const headers = new Map<string, Headers>();
  for (const [name, { deprecation }] of Object.entries(operationRoutes)) {
    if (deprecation === undefined) continue;
    const links = formatLinks([
      { url: `${new URL('/docs', baseUrl)}#deprecation`, rel: 'deprecation' },
      { url: `${baseUrl}${deprecation.successor.path}`, rel: 'successor-version' },
    ]);
    headers.set(
      name,
      new Headers({
        // RFC 9745, §2: a structured date, in seconds.
        Deprecation: `@${deprecation.deprecatedAt.getTime() / 1000}`,
        // RFC 8594, §3: an HTTP date.
        Sunset: deprecation.sunsetAt.toUTCString(),
        Link: links,
      }),
    );
  }
  return function setDeprecationHeaders(res) {
    const { operation } = res.locals;
    const deprecated = operation === undefined ? undefined : headers.get(operation);
    if (deprecated !== undefined) res.setHeaders(deprecated);
  };
}
