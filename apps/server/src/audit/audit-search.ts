import { type AuditEntry, type AuditFilter, auditActorTypes } from '@animal-store/contract/admin';
import { and, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import {
  fromMicroseconds,
  isInteger,
  type ListPage,
  type ListPosition,
  maxScanned,
  readPage,
  toMicroseconds,
} from '../database/list-page.ts';
import { auditEntries } from '../database/schema.ts';
import { statement } from '../database/statement.ts';

/** The conditions of the filters. The first has its index. */
function conditionsOf(filter: AuditFilter): SQL[] {
  const { keyId, operatorId, actor, account, action } = filter;
  return [
    keyId && eq(auditEntries.subjectId, keyId),
    operatorId && eq(auditEntries.subjectId, operatorId),
    account && eq(auditEntries.account, account),
    actor && isBy(actor),
    action && eq(auditEntries.action, action),
  ].filter((condition) => condition !== undefined && condition !== '');
}

/** The condition that an entry is by an operator with this id, or by another type of actor. */
function isBy(actor: string): SQL {
  return auditActorTypes.some((type) => type === actor)
    ? // With the missing id, so that the index of the actors has the order of the page.
      sql`(${auditEntries.actorType} = ${actor} and ${auditEntries.actorId} is null)`
    : sql`(${auditEntries.actorType} = 'operator' and ${auditEntries.actorId} = ${actor})`;
}

/** The first entries that match the first filter, after a position. */
function scanOf(db: Database, filter: AuditFilter, position: ListPosition | undefined) {
  const { from, to } = filter;
  return (
    db
      .select()
      .from(auditEntries)
      .where(
        and(
          conditionsOf(filter)[0],
          from === undefined ? undefined : gte(auditEntries.at, from),
          to === undefined ? undefined : lt(auditEntries.at, to),
          position &&
            sql`(${auditEntries.at}, ${auditEntries.id}) < (${fromMicroseconds(position.place)}, ${Number(position.id)})`,
        ),
      )
      .orderBy(desc(auditEntries.at), desc(auditEntries.id))
      .limit(maxScanned)
      // Named like the table, so that the conditions hold for both.
      .as('audit_entries')
  );
}

/** An entry as the contract has it. */
const entryColumns = {
  id: auditEntries.id,
  at: auditEntries.at,
  actor: { type: auditEntries.actorType, id: auditEntries.actorId, name: auditEntries.actorName },
  action: auditEntries.action,
  subject: {
    type: auditEntries.subjectType,
    id: auditEntries.subjectId,
    name: auditEntries.subjectName,
    account: auditEntries.account,
  },
  before: auditEntries.before,
  after: auditEntries.after,
  requestId: auditEntries.requestId,
  reason: auditEntries.reason,
};

const selectEntries = statement(
  'list_audit_entries',
  (db, filter: AuditFilter, limit: number, position: ListPosition | undefined) => {
    const scan = scanOf(db, filter, position);
    return db
      .select({ ...entryColumns, place: toMicroseconds(auditEntries.at) })
      .from(scan)
      .where(and(...conditionsOf(filter)))
      .orderBy(desc(scan.at), desc(scan.id))
      .limit(limit);
  },
);

const findEndOfScan = statement(
  'end_of_audit_scan',
  (db, filter: AuditFilter, position: ListPosition | undefined) => {
    const scan = scanOf(db, filter, position);
    return db
      .select({ id: sql<string>`${scan.id}::text`, place: toMicroseconds(scan.at) })
      .from(scan)
      .offset(maxScanned - 1)
      .limit(1);
  },
);

/** Whether a position may be one of the list of entries. */
export function isEntryPosition({ place, id }: ListPosition): boolean {
  return isInteger(place) && isInteger(id);
}

/** Finds a page of entries. It may have fewer than `limit`, even none, while there is another page. */
export async function searchEntries(
  db: Database,
  filter: AuditFilter,
  limit: number,
  position: ListPosition | undefined,
): Promise<ListPage<AuditEntry>> {
  const { items, next } = await readPage(limit, {
    find: (most) => selectEntries(db, filter, most, position),
    positionOf: ({ place, id }) => ({ place, id: String(id) }),
    findEnd: () => findEndOfScan(db, filter, position),
  });
  return { items: items.map(({ place: _, ...entry }) => entry), next };
}
