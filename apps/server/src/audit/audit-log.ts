import {
  type AuditEntry,
  type AuditFilter,
  AuditState,
  auditRetentionDays,
  type Key,
  type Operator,
} from '@animal-store/admin-contract';
import { hideTokens } from '@animal-store/contract/token-form';
import type { Database } from '@animal-store/postgres';
import { statement } from '@animal-store/postgres';
import { inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { ListPosition } from '../schema/list-page.ts';
import { auditEntries } from '../schema/schema.ts';
import { countEntries, searchEntries } from './audit-search.ts';

/**
 * The number of entries that one statement deletes. Deleting more entries might exceed the
 * statement timeout.
 */
const maxDeletedEntries = 1_000;

/** The default interval at which expired audit entries are deleted. */
export const defaultDeleteAuditMs = 3_600_000;

export interface Cause {
  readonly actor: AuditEntry['actor'];
  /** The id of the request; `null` for changes that the service makes by itself. */
  readonly requestId: string | null;
  readonly reason: string | undefined;
  /**
   * A function that throws if the actor no longer has permission. Every change calls the function
   * first in its transaction. So a revocation of the actor comes either before the whole change or
   * after it. The function is `undefined` if the permission cannot be revoked.
   */
  readonly confirmActor?: (tx: Database) => Promise<void>;
}

export interface Change extends Pick<AuditEntry, 'action' | 'subject' | 'before' | 'after'> {
  /**
   * The time of the recorded change.
   *
   * @default the current time of the database's clock
   */
  readonly at?: string;
  readonly cause: Cause;
}

const insertEntry = statement(
  'insert_audit_entry',
  (db, entry: Omit<typeof auditEntries.$inferInsert, 'at'> & { at: string | SQL }) =>
    db.insert(auditEntries).values(entry).onConflictDoNothing(),
);

/**
 * Records a change in the audit log. Call the function in the transaction of the change, after the
 * changed row is locked. Otherwise concurrent changes could write their entries in the wrong order.
 * If the start of the same ban is recorded twice, no second entry is added.
 */
export async function recordAudit(tx: Database, change: Change): Promise<void> {
  const { at, cause, action, subject, before, after } = withoutTokens(change);
  await insertEntry(tx, {
    // The time of the entry is not `now()`, which is the start of the transaction. If a change had
    // to wait for another change of the same API key, its transaction may have started first. With
    // `now()`, the two entries would then have the wrong order.
    at: at ?? sql`clock_timestamp()`,
    actorType: cause.actor.type,
    actorId: cause.actor.id,
    actorName: cause.actor.name,
    action,
    subjectType: subject.type,
    subjectId: subject.id,
    subjectName: subject.name,
    account: subject.account,
    before,
    after,
    requestId: cause.requestId,
    reason: cause.reason,
  });
}

/**
 * Returns the properties in which two states differ, or `undefined` if there are none. For a new
 * API key or operator, `before` is `undefined`, and the function returns all properties of `after`
 * that are not null.
 */
export function differenceOf(
  before: AuditState | undefined,
  after: AuditState,
): Pick<Change, 'before' | 'after'> | undefined {
  if (before === undefined) return { before: {}, after: withoutNulls(after) };
  const names = Object.keys({ ...before, ...after }) as (keyof AuditState)[];
  const changed = names.filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (changed.length === 0) return undefined;
  const pickChanged = (state: AuditState) =>
    Object.fromEntries(changed.filter((name) => name in state).map((name) => [name, state[name]]));
  return { before: pickChanged(before), after: pickChanged(after) };
}

function withoutNulls(state: AuditState): AuditState {
  return Object.fromEntries(Object.entries(state).filter(([, member]) => member !== null));
}

/**
 * Records which properties of an API key or an operator were changed. If nothing has changed, no
 * entry is added.
 */
export async function recordDifference(
  tx: Database,
  { cause, action }: Pick<Change, 'cause' | 'action'>,
  /**
   * The states before and after the change. `before` is `undefined` for a new API key or operator.
   */
  { before, after }: { before: Key | Operator | undefined; after: Key | Operator },
): Promise<void> {
  // The schema `AuditState` removes properties that change without an operator, such as the time of
  // the last use. Such a change is no difference for the audit log.
  const difference = differenceOf(before && AuditState.parse(before), AuditState.parse(after));
  if (difference === undefined) return;
  const { id, name } = after;
  const subject =
    'role' in after
      ? ({ type: 'operator', id, name, account: null } as const)
      : ({ type: 'key', id, name, account: after.account } as const);
  await recordAudit(tx, { cause, action, subject, ...difference });
}

/** Masks tokens in a change, because operators sometimes paste a leaked token into the reason. */
function withoutTokens(change: Change): Change {
  return JSON.parse(hideTokens(JSON.stringify(change))) as Change;
}

const deleteOldest = statement('delete_audit_entries', (db) =>
  db
    .delete(auditEntries)
    .where(
      inArray(
        auditEntries.id,
        db
          .select({ id: auditEntries.id })
          .from(auditEntries)
          .where(lt(auditEntries.at, sql`now() - make_interval(days => ${auditRetentionDays})`))
          .orderBy(auditEntries.at)
          .limit(maxDeletedEntries),
      ),
    )
    .returning({ id: auditEntries.id }),
);

export type AuditLog = ReturnType<typeof createAuditLog>;

export function createAuditLog(db: Database) {
  return {
    /**
     * Returns up to `limit` entries that match all given filters, newest first, beginning after a
     * position in the list.
     */
    list: (filter: AuditFilter, limit: number, position: ListPosition | undefined) =>
      searchEntries(db, filter, limit, position),

    /** Counts the entries that match all given filters. */
    count: (filter: AuditFilter) => countEntries(db, filter),
  };
}

/**
 * Deletes a batch of audit entries whose retention period has ended.
 *
 * @returns whether there may be more entries to delete.
 */
export async function deleteExpiredAudit(db: Database): Promise<boolean> {
  return (await deleteOldest(db)).length === maxDeletedEntries;
}
