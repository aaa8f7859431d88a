import { formatLinks } from '@animal-store/contract';
import type { Route } from '../http/route-table.ts';
import { type Operation, operationRoutes } from './public-routes.ts';

/**
 * Gives the operations' routes. Those of deprecated operations announce their end on all of their
 * responses, errors included.
 */
export function routesWithDeprecation(baseUrl: string): Record<Operation, Route> {
  const routes: Record<Operation, Route> = { ...operationRoutes };
  for (const [name, { deprecation, ...route }] of Object.entries(operationRoutes)) {
    if (deprecation === undefined) continue;
    const headers = [
      // RFC 9745, §2: a structured date, in seconds.
      'Deprecation',
      `@${deprecation.deprecatedAt.getTime() / 1000}`,
      // RFC 8594, §3: an HTTP date.
      'Sunset',
      deprecation.sunsetAt.toUTCString(),
      'Link',
      formatLinks([
        { url: `${new URL('/docs', baseUrl)}#deprecation`, rel: 'deprecation' },
        { url: `${baseUrl}${deprecation.successor.path}`, rel: 'successor-version' },
      ]),
    ];
    routes[name as Operation] = { ...route, headers };
  }
  return routes;
}
