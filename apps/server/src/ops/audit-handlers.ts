import { adminRoutes, auditContract } from '@animal-store/contract/admin';
import { initServer } from '@ts-rest/express';
import type { AuditLog } from '../audit/audit-log.ts';
import { linkNextPage, readCursor } from './admin-cursor.ts';

/** The operation on the audit log. */
export function createAuditHandlers(log: AuditLog) {
  return initServer().router(auditContract, {
    async listAuditEntries({ query: { limit, cursor, ...filter }, res }) {
      const list = { path: adminRoutes.listAuditEntries.path, limit, filter };
      const page = await log.list(filter, limit, readCursor(list, cursor));
      linkNextPage(res, list, page.next);
      return { status: 200, body: [...page.items] };
    },
  });
}
