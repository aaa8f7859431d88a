import type { AuditAction, AuditActorType, AuditEntry } from '@animal-store/contract/admin';
import { and, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { auditEntries } from '../database/schema.ts';
import { statement } from '../database/statement.ts';

/** What narrows the log. */
export interface AuditFilter {
  readonly keyId?: string | undefined;
  readonly operatorId?: string | undefined;
  /** An operator, or a type of actor that has no id. */
  readonly actor?: { readonly id: string } | { readonly type: AuditActorType } | undefined;
  readonly action?: AuditAction | undefined;
  readonly account?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** Where a page of entries ends. */
export interface AuditPosition {
  /** The time of the entry, in microseconds. */
  readonly place: string;
  readonly id: string;
}

/** A page of entries. */
export interface AuditPage {
  readonly entries: AuditEntry[];
  /** Where the next page begins, if there may be one. */
  readonly next: AuditPosition | undefined;
}

/** How many entries one page looks at, for the reason that `key-search.ts` gives. */
const maxScanned = 2_000;

/** The conditions of the filters. The first has its index. */
function conditionsOf(filter: AuditFilter): SQL[] {
  const { keyId, operatorId, actor, account, action } = filter;
  return [
    keyId && eq(auditEntries.subjectId, keyId),
    operatorId && eq(auditEntries.subjectId, operatorId),
    account && eq(auditEntries.account, account),
    actor && 'id' in actor
      ? sql`(${auditEntries.actorType} = 'operator' and ${auditEntries.actorId} = ${actor.id})`
      : // With the missing id, so that the index of the actors has the order of the page.
        actor &&
        sql`(${auditEntries.actorType} = ${actor.type} and ${auditEntries.actorId} is null)`,
    action && eq(auditEntries.action, action),
  ].filter((condition) => condition !== undefined && condition !== '');
}

/** The first entries that match the first filter, after a position. */
function scanOf(db: Database, filter: AuditFilter, position: AuditPosition | undefined) {
  const { from, to } = filter;
  return (
    db
      .select()
      .from(auditEntries)
      .where(
        and(
          conditionsOf(filter)[0],
          from && gte(auditEntries.at, from),
          to && lt(auditEntries.at, to),
          position &&
            sql`(${auditEntries.at}, ${auditEntries.id}) < (${toTime(position.place)}, ${toId(position.id)})`,
        ),
      )
      .orderBy(desc(auditEntries.at), desc(auditEntries.id))
      .limit(maxScanned)
      // Named like the table, so that the conditions hold for both.
      .as('audit_entries')
  );
}

const selectEntries = statement(
  'list_audit_entries',
  (db, filter: AuditFilter, limit: number, position: AuditPosition | undefined) => {
    const scan = scanOf(db, filter, position);
    return db
      .select({ entry: scan._.selectedFields, place: placeOf(scan.at) })
      .from(scan)
      .where(and(...conditionsOf(filter)))
      .orderBy(desc(scan.at), desc(scan.id))
      .limit(limit);
  },
);

const findEndOfScan = statement(
  'end_of_audit_scan',
  (db, filter: AuditFilter, position: AuditPosition | undefined) => {
    const scan = scanOf(db, filter, position);
    return db
      .select({ id: scan.id, place: placeOf(scan.at) })
      .from(scan)
      .offset(maxScanned - 1)
      .limit(1);
  },
);

/** Finds a page of entries. It may have fewer than `limit`, even none, while there is another page. */
export async function searchEntries(
  db: Database,
  filter: AuditFilter,
  limit: number,
  position: AuditPosition | undefined,
): Promise<AuditPage> {
  // One more than asked for tells whether there is a next page.
  const found = await selectEntries(db, filter, limit + 1, position);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const [end] =
    found.length > limit && last !== undefined
      ? [{ id: last.entry.id, place: last.place }]
      : await findEndOfScan(db, filter, position);
  return {
    entries: page.map(({ entry }) => toEntry(entry)),
    next: end && { place: end.place, id: String(end.id) },
  };
}

function toEntry(row: typeof auditEntries.$inferSelect): AuditEntry {
  const { id, at, action, before, after, requestId, reason } = row;
  return {
    id,
    at: at.toISOString(),
    actor: { type: row.actorType, id: row.actorId, name: row.actorName },
    action,
    subject: {
      type: row.subjectType,
      id: row.subjectId,
      name: row.subjectName,
      account: row.account,
    },
    before,
    after,
    requestId,
    reason,
  };
}

/** A time in microseconds, as text: a `Date` would lose some of them. */
function placeOf(at: unknown): SQL<string> {
  return sql<string>`(extract(epoch from ${at}) * 1000000)::bigint::text`;
}

// A forged cursor without a time starts at the Unix epoch.
function toTime(place: string): SQL {
  return sql`timestamptz 'epoch' + interval '1 microsecond' * ${toId(place)}::float8`;
}

function toId(text: string): number {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : 0;
}
