import { adminRoutes } from '@animal-store/contract/admin';
import { initServer } from '@ts-rest/express';
import type { AuditLog } from '../audit/audit-log.ts';
import { isEntryPosition } from '../audit/audit-search.ts';
import { linkNextPage, readCursor } from './admin-cursor.ts';
import { csvContract } from './csv-contract.ts';
import { csvOfEntries } from './csv-tables.ts';
import { inPreferredType, offerCsv } from './offer-csv.ts';

/** The operation on the audit log. */
export function createAuditHandlers(log: AuditLog) {
  return initServer().router(
    { listAuditEntries: csvContract.listAuditEntries },
    {
      listAuditEntries: {
        middleware: [offerCsv],
        async handler({ query: { limit, cursor, ...filter }, req, res }) {
          const { path } = adminRoutes.listAuditEntries;
          const list = { path, limit, filter, isPosition: isEntryPosition };
          const page = await log.list(filter, limit, readCursor(list, cursor));
          linkNextPage(res, list, page.next);
          return { status: 200, body: inPreferredType(req, [...page.items], csvOfEntries) };
        },
      },
    },
  );
}
