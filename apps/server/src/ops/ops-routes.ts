import { adminBasePath, adminRoutes, type OperatorRole } from '@animal-store/contract/admin';
import type { Route } from '../http/route-table.ts';

/** The routes that need no authentication. */
export const probeRoutes = {
  livez: { method: 'GET', path: '/livez' },
  readyz: { method: 'GET', path: '/readyz' },
  metrics: { method: 'GET', path: '/metrics' },
} as const satisfies Record<string, Route>;

/** A route with the role that it needs. */
type AdminRoute = Route & { readonly role: OperatorRole };

/** The routes of the admin API, with whole paths. */
export const adminApiRoutes = Object.fromEntries(
  Object.entries<AdminRoute>({
    ...adminRoutes,
    openApi: { method: 'GET', path: '/openapi.json', role: 'viewer' },
  }).map(([name, route]) => [name, { ...route, path: adminBasePath + route.path }]),
) as Record<keyof typeof adminRoutes | 'openApi', AdminRoute>;
