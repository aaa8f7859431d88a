import {
  adminErrorMessages,
  type Key,
  type KeyChange,
  type KeyFilter,
  type NewKey,
} from '@animal-store/contract/admin';
import { eq, sql } from 'drizzle-orm';
import { type Cause, recordAudit } from '../audit/audit-log.ts';
import { takeOpenBan } from '../audit/ban-log.ts';
import { differenceOf } from '../audit/state-difference.ts';
import type { Database } from '../database/database.ts';
import type { ListPosition } from '../database/list-page.ts';
import { apiKeys } from '../database/schema.ts';
import { inTransaction, statement } from '../database/statement.ts';
import { type PlanChoice, storedPlan } from './api-key.ts';
import { announceKeyChange } from './key-changes.ts';
import { createApiKey } from './key-creation.ts';
import { completeKeys, keyColumns, keyTokens } from './key-record.ts';
import { searchKeys } from './key-search.ts';
import { Refusal } from './refusal.ts';
import { createTokenHolders } from './token-holders.ts';

export type KeyManagement = ReturnType<typeof createKeyManagement>;

/** The usage of a key before its ban is lifted. */
interface Standing {
  readonly bannedUntil: string | null;
  readonly strikes: number;
}

const updateKey = statement(
  'update_key',
  (db, id: string, key: Partial<Omit<typeof apiKeys.$inferInsert, 'id'>>) =>
    db.update(apiKeys).set(key).where(eq(apiKeys.id, id)),
);

/**
 * What operators do with API keys. Each change is announced to all replicas in its own transaction:
 * they learn of it when it is committed, and never of one that was rolled back. So it is with its
 * entry in the audit log.
 *
 * @param onChanged called with a changed key before the change returns, so that this replica never
 * serves an outdated one afterwards.
 */
export function createKeyManagement(db: Database, onChanged: (keyId: string) => void) {
  const { find, lock, create, change, inactivity, rotate, revoke } = createTokenHolders(db, {
    type: 'key',
    tokens: keyTokens,
    select: (tx, id) => tx.select(keyColumns).from(apiKeys).where(eq(apiKeys.id, id)),
    complete: completeKeys,
    setRevoked: (tx, id) =>
      tx
        .update(apiKeys)
        .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, now())` })
        .where(eq(apiKeys.id, id)),
    announce: (tx, keyId) => announceKeyChange(tx, { keyId }),
    onChanged,
  });

  return {
    find,
    rotate,
    revoke,

    /** Creates a key. */
    create: (key: NewKey, cause: Cause) => create((tx) => createApiKey(tx, key), cause),

    /** Up to `limit` keys that match every filter, from a position on. */
    list: (filter: KeyFilter, limit: number, position: ListPosition | undefined) =>
      searchKeys(db, filter, limit, position),

    /** Changes a key. The counts stay. */
    change: (id: string, { plan, quota, ...labels }: KeyChange, cause: Cause) =>
      change({ id, action: 'key.changed', cause }, async (tx, before) => {
        const choice = inactivity(before) ?? choosePlan(before, { plan, quota });
        if (choice instanceof Refusal) return choice;
        await updateKey(tx, id, { ...labels, ...storedPlan(choice) });
        return {};
      }),

    /**
     * Ends a key's ban, wherever it is kept, and records and announces that.
     *
     * The ban is ended by `lift` just before the commit. So nothing is lifted if the database is
     * unavailable, and a replica that hears of it and asks Redis finds no ban. Only if the commit
     * itself fails is the ban lifted without an entry; the caller then gets an error, and repeats.
     */
    unban: (id: string, standing: Standing, lift: () => Promise<void>, cause: Cause) =>
      inTransaction('change_key', db, async (tx) => {
        const key = await lock(tx, id);
        if (key instanceof Refusal) return key;
        const bannedUntil = (await takeOpenBan(tx, id)) ?? standing.bannedUntil;
        const before = { bannedUntil, strikes: standing.strikes };
        await recordAudit(tx, {
          cause,
          action: 'key.unbanned',
          subject: { type: 'key', id, name: key.name, account: key.account },
          // Recorded even if there was nothing to end.
          ...(differenceOf(before, { bannedUntil: null, strikes: 0 }) ?? { before: {}, after: {} }),
        });
        await announceKeyChange(tx, { keyId: id, pardoned: true });
        await lift();
        return key;
      }),
  };
}

/** The plan that a key gets, or why it cannot get it. */
function choosePlan(key: Key, wanted: Pick<KeyChange, 'plan' | 'quota'>): PlanChoice | Refusal {
  const plan = wanted.plan ?? key.plan;
  if (plan !== 'enterprise') {
    return wanted.quota === undefined
      ? { plan }
      : new Refusal(
          'invalid_request',
          `quota: expected none: the key's plan is ${plan}, and only Enterprise keys have numbers of their own`,
        );
  }
  const quota = wanted.quota ?? (key.plan === 'enterprise' ? key.quota : undefined);
  return quota === undefined
    ? new Refusal('invalid_request', adminErrorMessages.quotaMissing)
    : { plan, quota };
}
