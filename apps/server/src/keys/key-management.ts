import type { PlanName, Quota } from '@animal-store/contract';
import type { KeyState } from '@animal-store/contract/admin';
import { eq, sql } from 'drizzle-orm';
import { type Cause, recordAudit } from '../audit/audit-log.ts';
import { takeOpenBan } from '../audit/ban-log.ts';
import { differenceOf } from '../audit/state-difference.ts';
import type { Database } from '../database/database.ts';
import type { ListPosition } from '../database/list-page.ts';
import { apiKeys } from '../database/schema.ts';
import { inTransaction, statement } from '../database/statement.ts';
import { type NewApiKey, type PlanChoice, storedPlan } from './api-key.ts';
import { keySubject, recordKeyChange } from './key-audit.ts';
import { announceKeyChange } from './key-changes.ts';
import { createApiKey } from './key-creation.ts';
import { findKey, type KeyRecord, keyTokens, lockKey } from './key-record.ts';
import { type KeyFilter, searchKeys } from './key-search.ts';

export type KeyManagement = ReturnType<typeof createKeyManagement>;

/** A key with its new token, which cannot be shown again. */
export interface KeyWithToken {
  readonly key: KeyRecord;
  readonly token: string;
}

/** What an operator wants to change of a key. What is `undefined` stays; `null` removes. */
interface KeyChange {
  readonly name?: string | null | undefined;
  readonly account?: string | null | undefined;
  readonly expiresAt?: Date | null | undefined;
  readonly plan?: PlanName | undefined;
  readonly quota?: Quota | undefined;
}

/** The usage of a key before its ban is lifted. */
interface Standing {
  readonly bannedUntil: Date | undefined;
  readonly strikes: number;
}

/** Why a key was not changed. */
export type Unchanged =
  | { readonly outcome: 'no-such-key' }
  | { readonly outcome: 'not-active'; readonly state: KeyState }
  /** The key would be Enterprise without a quota of its own. */
  | { readonly outcome: 'quota-missing' }
  /** The key would not be Enterprise, and have numbers. */
  | { readonly outcome: 'quota-unwanted'; readonly plan: PlanName };

const updateKey = statement(
  'update_key',
  (db, id: string, key: Partial<Omit<typeof apiKeys.$inferInsert, 'id'>>) =>
    db.update(apiKeys).set(key).where(eq(apiKeys.id, id)),
);

const revokeKey = statement('revoke_key', (db, id: string) =>
  db
    .update(apiKeys)
    .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, now())` })
    .where(eq(apiKeys.id, id)),
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
  async function change<Result>(
    id: string,
    work: (tx: Database) => Promise<Result>,
  ): Promise<Result> {
    const result = await inTransaction('change_key', db, work);
    onChanged(id);
    return result;
  }

  return {
    /** Creates a key. */
    create: (key: NewApiKey, cause: Cause): Promise<KeyWithToken> =>
      inTransaction('change_key', db, async (tx) => {
        const { id, token } = await createApiKey(tx, key);
        const created = await get(tx, id);
        await recordKeyChange(tx, {
          action: 'key.created',
          cause,
          before: undefined,
          after: created,
        });
        return { key: created, token };
      }),

    find: (id: string): Promise<KeyRecord | undefined> => findKey(db, id),

    /** Up to `limit` keys that match every filter, from a position on. */
    list: (filter: KeyFilter, limit: number, position: ListPosition | undefined) =>
      searchKeys(db, filter, limit, position),

    /** Changes a key. The counts stay. */
    change: (
      id: string,
      { plan, quota, ...labels }: KeyChange,
      cause: Cause,
    ): Promise<Unchanged | { readonly outcome: 'changed'; readonly key: KeyRecord }> =>
      change(id, async (tx) => {
        const before = await lockActive(tx, id);
        if ('outcome' in before) return before;
        const choice = choosePlan(before, { plan, quota });
        if ('outcome' in choice) return choice;
        await updateKey(tx, id, { ...labels, ...storedPlan(choice) });
        const after = await get(tx, id);
        await recordKeyChange(tx, { action: 'key.changed', cause, before, after });
        await announceKeyChange(tx, { keyId: id });
        return { outcome: 'changed', key: after };
      }),

    /** Gives a key a new token. Its other tokens stay valid for the grace period at most. */
    rotate: (
      id: string,
      graceSeconds: number,
      cause: Cause,
    ): Promise<Unchanged | ({ readonly outcome: 'rotated' } & KeyWithToken)> =>
      change(id, async (tx) => {
        const before = await lockActive(tx, id);
        if ('outcome' in before) return before;
        await keyTokens.expire(tx, id, graceSeconds);
        const token = await keyTokens.add(tx, id);
        const after = await get(tx, id);
        await recordKeyChange(tx, { action: 'key.rotated', cause, before, after });
        await announceKeyChange(tx, { keyId: id });
        return { outcome: 'rotated', key: after, token };
      }),

    /** Revokes a key permanently. Revoking it again changes nothing, but is announced again. */
    revoke: (id: string, cause: Cause): Promise<KeyRecord | undefined> =>
      change(id, async (tx) => {
        const before = await lockKey(tx, id);
        if (before === undefined) return undefined;
        await revokeKey(tx, id);
        const after = await get(tx, id);
        await recordKeyChange(tx, { action: 'key.revoked', cause, before, after });
        await announceKeyChange(tx, { keyId: id });
        return after;
      }),

    /**
     * Ends a key's ban, wherever it is kept, and records and announces that.
     *
     * The ban is ended by `lift` just before the commit. So nothing is lifted if the database is
     * unavailable, and a replica that hears of it and asks Redis finds no ban. Only if the commit
     * itself fails is the ban lifted without an entry; the caller then gets an error, and repeats.
     */
    unban: (id: string, standing: Standing, lift: () => Promise<void>, cause: Cause) =>
      inTransaction('change_key', db, async (tx): Promise<KeyRecord | undefined> => {
        const key = await lockKey(tx, id);
        if (key === undefined) return undefined;
        const bannedUntil = (await takeOpenBan(tx, id)) ?? standing.bannedUntil;
        const before = {
          bannedUntil: bannedUntil?.toISOString() ?? null,
          strikes: standing.strikes,
        };
        await recordAudit(tx, {
          cause,
          action: 'key.unbanned',
          subject: keySubject(key),
          // Recorded even if there was nothing to end.
          ...(differenceOf(before, { bannedUntil: null, strikes: 0 }) ?? { before: {}, after: {} }),
        });
        await announceKeyChange(tx, { keyId: id, pardoned: true });
        await lift();
        return key;
      }),
  };
}

async function get(tx: Database, id: string): Promise<KeyRecord> {
  const key = await findKey(tx, id);
  if (key === undefined) throw new Error('A key is gone in the transaction that changed it.');
  return key;
}

/** Locks a key until the transaction ends. Returns the reason instead if the key may not be changed. */
async function lockActive(tx: Database, id: string) {
  const key = await lockKey(tx, id);
  if (key === undefined) return { outcome: 'no-such-key' } as const;
  if (key.state !== 'active') return { outcome: 'not-active', state: key.state } as const;
  return key;
}

/** The plan that a key gets, or why it cannot get it. */
function choosePlan(
  key: KeyRecord,
  wanted: Pick<KeyChange, 'plan' | 'quota'>,
): PlanChoice | Unchanged {
  const plan = wanted.plan ?? key.plan;
  if (plan !== 'enterprise') {
    return wanted.quota === undefined ? { plan } : { outcome: 'quota-unwanted', plan };
  }
  const quota = wanted.quota ?? (key.plan === 'enterprise' ? key.quota : undefined);
  return quota === undefined ? { outcome: 'quota-missing' } : { plan, quota };
}
