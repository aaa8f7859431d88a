import { adminRoutes, auditContract } from '@animal-store/admin-contract';
import { initServer } from '@ts-rest/express';
import type { AdminServices } from './admin-operation.ts';
import { readPage } from './read-page.ts';

export function createAuditHandlers({ accounts, audit }: AdminServices) {
  return initServer().router(auditContract, {
    async listAuditEntries({ query: { limit, cursor, count, ...given }, res }) {
      const filter = await accounts.resolveFilter(given);
      const { path } = adminRoutes.listAuditEntries;
      const list = { path, limit, filter };
      const entries = await readPage(
        res,
        list,
        { cursor, count },
        {
          find: (from) => audit.list(filter, limit, from),
          count: () => audit.count(filter),
        },
      );
      return { status: 200, body: entries };
    },
  });
}
