import { adminRoutes, auditContract } from '@animal-store/contract/admin';
import { initServer } from '@ts-rest/express';
import type { AuditLog } from '../audit/audit-log.ts';
import { isEntryPosition } from '../audit/audit-search.ts';
import { linkNextPage, readCursor } from './admin-cursor.ts';

/** The operation on the audit log. */
export function createAuditHandlers(log: AuditLog) {
  return initServer().router(auditContract, {
    async listAuditEntries({ query: { limit, cursor, ...filter }, res }) {
      const { path } = adminRoutes.listAuditEntries;
      const list = { path, limit, filter, isPosition: isEntryPosition };
      const { items, next } = await log.list(filter, limit, readCursor(list, cursor));
      linkNextPage(res, list, next);
      return { status: 200, body: [...items] };
    },
  });
}
