import {
  type AuditAction,
  adminErrorMessages,
  type IssuedKey,
  type Key,
  type KeyChange,
  type KeyFilter,
  type NewKey,
} from '@animal-store/admin-contract';
import type { Database } from '@animal-store/postgres';
import { inTransaction, statement } from '@animal-store/postgres';
import type { Quotas } from '@animal-store/quotas';
import { eq, inArray } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { type Cause, differenceOf, recordAudit, recordDifference } from '../audit/audit-log.ts';
import { deleteOpenBan } from '../bans/ban-log.ts';
import { toInstant } from '../quotas/quota-windows.ts';
import { announceKeyChange } from '../replicas/change-channel.ts';
import { AdminRefusal } from '../schema/admin-refusal.ts';
import { revoked } from '../schema/lifetime.ts';
import type { ListPosition } from '../schema/list-page.ts';
import { accounts, apiKeys } from '../schema/schema.ts';
import { resumed, suspended } from '../schema/suspension.ts';
import { type PlanChoice, storedPlan } from './api-key.ts';
import { createBanMoves } from './ban-moves.ts';
import { addKey } from './create-key.ts';
import { creditWindows } from './credit-windows.ts';
import { endBan } from './end-ban.ts';
import { findAppliedPlan, findPlanAccountId, resolveAccount } from './key-account.ts';
import { findKey, keyTokens } from './key-record.ts';
import { countFoundKeys, searchKeys } from './key-search.ts';

export type KeyManagement = ReturnType<typeof createKeyManagement>;

const updateKey = statement(
  'update_key',
  (tx, id: string, values: PgUpdateSetSource<typeof apiKeys>) =>
    tx.update(apiKeys).set(values).where(eq(apiKeys.id, id)),
);

/** Locks an API key until the transaction ends. Returns no row if the key does not exist. */
const lockKey = statement('lock_key', (tx, id: string) =>
  tx.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.id, id)).for('update'),
);

/** Locks accounts, so that their plans cannot change until the transaction ends. */
const lockAccounts = statement('lock_accounts', (tx, names: (string | null)[]) =>
  tx
    .select({ id: accounts.id })
    .from(accounts)
    .where(
      inArray(
        accounts.name,
        names.filter((name) => name !== null),
      ),
    )
    .orderBy(accounts.name)
    .for('share'),
);

/** A change of one API key, as the audit log records it. */
interface AuditedChange {
  readonly id: string;
  readonly action: AuditAction;
  readonly cause: Cause;
}

/**
 * Creates the operations on API keys. Each change runs in one transaction with its audit entry and
 * the message that announces the change to all replicas. Replicas receive the message when the
 * transaction commits, and never for a change that was rolled back.
 *
 * @param onChanged a function that is called with the key's id before a change returns, so that
 * this replica never uses an outdated key afterwards.
 */
export function createKeyManagement(
  db: Database,
  onChanged: (keyId: string) => void,
  quotas: Pick<Quotas, 'look' | 'unban' | 'moveBan' | 'credit'>,
) {
  const moves = createBanMoves(db, quotas);

  /**
   * Locks and changes an API key, records the change in the audit log, and announces the change to
   * all replicas. An expired or revoked key can only be revoked.
   */
  async function change<Result>(
    { id, action, cause }: AuditedChange,
    work: (tx: Database, before: Key) => Promise<Result>,
  ): Promise<{ key: Key; result: Result }> {
    const changed = await inTransaction('change_key', db, async (tx) => {
      await cause.confirmActor?.(tx);
      await lockKey(tx, id);
      const before = await findKey(tx, id);
      if (action !== 'key.revoked') refuseEnded(before);
      const result = await work(tx, before);
      const key = await findKey(tx, id);
      await recordDifference(tx, { action, cause }, { before, after: key });
      await announceKeyChange(tx, id);
      return { key, result };
    });
    onChanged(id);
    return changed;
  }

  /**
   * Changes the properties of an API key. If the key gets another account, the function also moves
   * the ban of the key in Redis to the new account. It does so before the commit, while the key is
   * still locked, so that a concurrent unban finds the ban.
   */
  async function changeValues(
    id: string,
    { plan, quota, ...wanted }: KeyChange,
    cause: Cause,
  ): Promise<Key> {
    const { key } = await change({ id, action: 'key.changed', cause }, async (tx, before) => {
      const choice = choosePlan(before, { plan, quota });
      await updateKey(tx, id, { ...wanted, ...storedPlan(choice) });
      if (wanted.account === undefined) return;
      // The accounts are locked, so that a concurrent change of an account's plan comes either
      // before or after this change. If the change of the plan comes later, it finds the API key in
      // the key's new account. If the change of the plan comes earlier, this change sees the new
      // plan.
      await lockAccounts(tx, [before.account, wanted.account]);
      const from = { id, accountId: await findPlanAccountId(tx, before.account) };
      const to = { id, accountId: await findPlanAccountId(tx, wanted.account) };
      if (from.accountId !== to.accountId) await quotas.moveBan(from, to);
    });
    return key;
  }

  const changeColumns = async (
    audited: AuditedChange,
    values: PgUpdateSetSource<typeof apiKeys>,
  ): Promise<Key> => (await change(audited, (tx) => updateKey(tx, audited.id, values))).key;

  return {
    /**
     * Finds an API key by its id.
     *
     * @throws {AdminRefusal} if there is no key with this id. Every other function that gets an id
     * throws the same error.
     */
    find: (id: string): Promise<Key> => findKey(db, id),

    findAppliedPlan: (key: Key) => findAppliedPlan(db, key),

    /**
     * Returns up to `limit` API keys that match all given filters, beginning after a position in the
     * list.
     */
    list: (filter: KeyFilter, limit: number, position: ListPosition | undefined) =>
      searchKeys(db, filter, limit, position),

    /** Counts the API keys that match all given filters. */
    count: (filter: KeyFilter) => countFoundKeys(db, filter),

    /**
     * Creates an API key with its first token. The creation is not announced, because no replica
     * can have cached the new key.
     */
    create: (newKey: NewKey, cause: Cause): Promise<IssuedKey> =>
      inTransaction('change_key', db, async (tx) => {
        await cause.confirmActor?.(tx);
        const { id, token } = await addKey(tx, newKey);
        const key = await findKey(tx, id);
        const change = { before: undefined, after: key };
        await recordDifference(tx, { action: 'key.created', cause }, change);
        return { key, token };
      }),

    /** Changes an API key. The request counts of the key do not change. */
    async change(id: string, wanted: KeyChange, cause: Cause): Promise<Key> {
      if (wanted.account === undefined) return changeValues(id, wanted, cause);
      const before = await findKey(db, id);
      refuseEnded(before);
      const to = wanted.account && (await resolveAccount(db, wanted.account));
      const names = [before.account, to].filter((name) => name !== null);
      const move = await moves.begin({ keyId: id, accounts: names });
      // If the change fails, the function reads the account of the API key from the database, and
      // moves the ban there. The key has the new account if the change was committed after all. If
      // this move also fails, a replica finishes it later.
      const key = await changeValues(id, { ...wanted, account: to }, cause).catch(
        async (failure: unknown) => {
          await moves.finish(move).catch(() => {});
          throw failure;
        },
      );
      // The ban is moved a second time, because a request may have started a ban under the old
      // account before this replica knew about the change.
      await moves.finish(move).catch(() => {});
      return key;
    },

    /**
     * Gives an API key a new token. The previous tokens of the key stay valid for at most the grace
     * period.
     */
    async rotate(id: string, graceSeconds: number, cause: Cause): Promise<IssuedKey> {
      const { key, result } = await change({ id, action: 'key.rotated', cause }, (tx) =>
        keyTokens.replace(tx, id, graceSeconds),
      );
      return { key, token: result };
    },

    /**
     * Revokes an API key permanently. A second revocation changes nothing, but the replicas are
     * notified again.
     */
    revoke: (id: string, cause: Cause) =>
      changeColumns({ id, action: 'key.revoked', cause }, revoked(apiKeys)),

    /** Suspends an API key. A second suspension changes only the reason. */
    suspend: (id: string, cause: Cause) =>
      changeColumns({ id, action: 'key.suspended', cause }, suspended(apiKeys, cause.reason)),

    /** Resumes a suspended API key. If the key is not suspended, nothing changes. */
    resume: (id: string, cause: Cause) =>
      changeColumns({ id, action: 'key.resumed', cause }, resumed),

    /**
     * Sets the request counts of an API key to zero for the current minute and day, and records
     * this in the audit log.
     */
    async credit(id: string, cause: Cause): Promise<Key> {
      return inTransaction('change_key', db, async (tx) => {
        await cause.confirmActor?.(tx);
        await lockKey(tx, id);
        const key = await findKey(tx, id);
        refuseEnded(key);
        const limited = await findLimited(tx, key);
        // The request counts are read while the API key is locked. So the second of two concurrent
        // credits finds counts of zero, and records nothing.
        const usage = await quotas.look(limited);
        const subject = { type: 'key', id, name: key.name, account: key.account } as const;
        await creditWindows(tx, quotas, {
          action: 'key.changed',
          cause,
          subject,
          key: limited,
          usage,
        });
        return key;
      });
    },

    /**
     * Ends the ban of an API key and records this in the audit log.
     *
     * The audit entry contains the ended ban and its strikes, so it is written after the ban has
     * ended in Redis. All checks happen before the ban ends. If the database is unavailable, the
     * checks fail and the ban stays. If the ban has ended but writing the entry or the commit
     * fails, the audit log has no entry. The operator then gets an error and can try again.
     */
    unban: (id: string, cause: Cause): Promise<Key> =>
      inTransaction('change_key', db, async (tx) => {
        await cause.confirmActor?.(tx);
        await lockKey(tx, id);
        const key = await findKey(tx, id);
        refuseEnded(key);
        const open = await deleteOpenBan(tx, id);
        const { strikes, bannedUntil } = await endBan(tx, key, quotas, moves);
        const ended = bannedUntil === undefined ? null : toInstant(bannedUntil);
        const before = { bannedUntil: open ?? ended, strikes };
        await recordAudit(tx, {
          cause,
          action: 'key.unbanned',
          subject: { type: 'key', id, name: key.name, account: key.account },
          // The unban is recorded even if no ban was found. The start of a ban may be written
          // later, and `ban-log.ts` then learns from this entry that the ban has already ended.
          ...(differenceOf(before, { bannedUntil: null, strikes: 0 }) ?? { before: {}, after: {} }),
        });
        return key;
      }),
  };
}

/**
 * Finds the plan of an API key that has a quota of its own. The windows of this quota count only
 * the requests of this key.
 *
 * @throws {AdminRefusal} if the key shares the windows of its account.
 */
async function findLimited(tx: Database, key: Key) {
  const limited = { ...(await findAppliedPlan(tx, key)), id: key.id };
  if (limited.accountId === undefined) return limited;
  const message = adminErrorMessages.windowsOfAccount(key.account ?? '');
  throw new AdminRefusal('invalid_request', message);
}

/**
 * Refuses to change an API key that has ended. Suspended keys may be changed.
 *
 * @throws {AdminRefusal} if the key has expired or was revoked.
 */
function refuseEnded({ state }: Key): void {
  if (state === 'expired' || state === 'revoked') {
    throw new AdminRefusal('key_not_active', adminErrorMessages.key_not_active(state));
  }
}

/**
 * Returns the plan of an API key after a change.
 *
 * @throws {AdminRefusal} if the key cannot get the requested plan or quota.
 */
function choosePlan(key: Key, wanted: Pick<KeyChange, 'plan' | 'quota'>): PlanChoice {
  const plan = wanted.plan ?? key.plan;
  if (plan !== 'enterprise') {
    if (wanted.quota === undefined) return { plan };
    throw new AdminRefusal(
      'invalid_request',
      `quota: expected none, because the key has the plan ${plan}. Only Enterprise keys have a quota of their own.`,
    );
  }
  const quota = wanted.quota ?? (key.plan === 'enterprise' ? key.quota : undefined);
  if (quota === undefined)
    throw new AdminRefusal('invalid_request', adminErrorMessages.quotaMissing);
  return { plan, quota };
}
