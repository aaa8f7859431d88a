import { type AuditEntry, type AuditFilter, auditActorTypes } from '@animal-store/admin-contract';
import type { Database } from '@animal-store/postgres';
import { statement } from '@animal-store/postgres';
import { and, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import {
  countRows,
  isAfter,
  type ListOrder,
  type ListPage,
  type ListPosition,
  positionOf,
  readListParts,
  sortedBy,
} from '../schema/list-page.ts';
import { auditEntries as entry } from '../schema/schema.ts';
import { isFound } from '../schema/search-text.ts';

function matches({ keyId, operatorId, actor, account, action, search, from, to }: AuditFilter) {
  return and(
    keyId ? eq(entry.subjectId, keyId) : undefined,
    operatorId ? eq(entry.subjectId, operatorId) : undefined,
    account ? eq(entry.account, account) : undefined,
    actor ? isByActor(actor) : undefined,
    action ? eq(entry.action, action) : undefined,
    search ? isFound('audit_entries', search) : undefined,
    from ? gte(entry.at, from) : undefined,
    to ? lt(entry.at, to) : undefined,
  );
}

/**
 * Returns the SQL condition that an entry was caused by an actor. `actor` is the id of an operator,
 * or a type of actor such as `system`.
 */
function isByActor(actor: string): SQL {
  // An actor that is not an operator has no id. With the condition `is null`, Postgres can read the
  // page from the index on actors, in the order of the index.
  return auditActorTypes.some((type) => type === actor)
    ? sql`(${entry.actorType} = ${actor} and ${entry.actorId} is null)`
    : sql`(${entry.actorType} = 'operator' and ${entry.actorId} = ${actor})`;
}

/** The columns of an audit entry, in the shape that the contract defines. */
const entryColumns = {
  id: entry.id,
  at: entry.at,
  actor: { type: entry.actorType, id: entry.actorId, name: entry.actorName },
  action: entry.action,
  subject: {
    type: entry.subjectType,
    id: entry.subjectId,
    name: entry.subjectName,
    account: entry.account,
  },
  before: entry.before,
  after: entry.after,
  requestId: entry.requestId,
  reason: entry.reason,
};

const newestFirst: ListOrder = {
  columns: [
    [entry.at, 'timestamptz'],
    [entry.id, 'bigint'],
  ],
  isDescending: true,
};

/**
 * Selects a page of entries. Each filter has an index in the order of the page. With several
 * filters, Postgres chooses one of the indexes.
 */
const selectEntries = statement(
  'list_audit_entries',
  (db, filter: AuditFilter, limit: number, position: ListPosition | undefined) =>
    db
      .select({ ...entryColumns, place: positionOf(newestFirst) })
      .from(entry)
      .where(and(matches(filter), isAfter(newestFirst, position)))
      .orderBy(...sortedBy(newestFirst))
      .limit(limit),
);

const countFound = statement('count_audit_entries', (db, filter: AuditFilter) =>
  countRows(db, db.select({ id: entry.id }).from(entry).where(matches(filter))),
);

/**
 * Counts the entries that match a filter. Returns `maxCounted + 1` if there are more than
 * `maxCounted`.
 */
export const countEntries = (db: Database, filter: AuditFilter): Promise<number> =>
  countFound(db, filter).then(([row]) => row?.count ?? 0);

export async function searchEntries(
  db: Database,
  filter: AuditFilter,
  limit: number,
  position: ListPosition | undefined,
): Promise<ListPage<AuditEntry>> {
  return readListParts([newestFirst], { limit, position }, (_, most, from) =>
    selectEntries(db, filter, most, from),
  );
}
