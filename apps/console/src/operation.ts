import type { adminRoutes } from '@animal-store/contract/admin/routes';

/** The name of an operation of the admin API. */
export type Operation = keyof typeof adminRoutes;
