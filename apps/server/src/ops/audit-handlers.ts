import {
  type AuditActorType,
  type AuditEntry,
  adminRoutes,
  auditActorTypes,
  auditContract,
} from '@animal-store/contract/admin';
import { initServer } from '@ts-rest/express';
import type { AuditLog } from '../audit/audit-log.ts';
import type { AuditFilter } from '../audit/audit-search.ts';
import { linkNextPage, readCursor } from './admin-cursor.ts';

/** The operation on the audit log. */
export function createAuditHandlers(log: AuditLog) {
  return initServer().router(auditContract, {
    async listAuditEntries({ query: { limit, cursor, ...filter }, res }) {
      const list = { path: adminRoutes.listAuditEntries.path, limit, filter };
      const page = await log.list(readFilter(filter), limit, readCursor(list, cursor));
      linkNextPage(res, list, page.next);
      return { status: 200, body: [...page.items] };
    },
  });
}

function readFilter(filter: {
  keyId?: string | undefined;
  operatorId?: string | undefined;
  actor?: string | undefined;
  action?: AuditEntry['action'] | undefined;
  account?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}): AuditFilter {
  const { actor, ...same } = filter;
  if (actor === undefined) return same;
  return { ...same, actor: isActorType(actor) ? { type: actor } : { id: actor } };
}

function isActorType(actor: string): actor is AuditActorType {
  return auditActorTypes.some((type) => type === actor);
}
