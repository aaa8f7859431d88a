import type { adminRoutes } from '@animal-store/admin-contract/routes';

export type Operation = keyof typeof adminRoutes;
