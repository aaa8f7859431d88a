import type { adminRoutes } from '@animal-store/contract/admin/routes';

export type Operation = keyof typeof adminRoutes;
