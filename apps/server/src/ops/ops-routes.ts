import { adminBasePath, adminRoutes } from '@animal-store/contract/admin';
import type { Route } from '../http/route-table.ts';

/** The routes that need no authentication. */
export const probeRoutes = {
  livez: { method: 'GET', path: '/livez' },
  readyz: { method: 'GET', path: '/readyz' },
  metrics: { method: 'GET', path: '/metrics' },
} as const satisfies Record<string, Route>;

type AdminRoute = keyof typeof adminRoutes | 'openApi';

/** The routes of the admin API, with whole paths. */
export const adminApiRoutes = Object.fromEntries(
  Object.entries<Route>({
    ...adminRoutes,
    openApi: { method: 'GET', path: '/openapi.json' },
  }).map(([name, route]) => [name, { ...route, path: adminBasePath + route.path }]),
) as Record<AdminRoute, Route>;
