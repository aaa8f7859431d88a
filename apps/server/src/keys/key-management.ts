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
import {
  type ConsumerId,
  type Quotas as KeyQuotas,
  type QuotaDecision,
  QuotasAwayError,
} from '@animal-store/quotas';
import { eq, inArray } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { AdminRefusal } from '../audit/admin-refusal.ts';
import {
  type Cause,
  type Change,
  differenceOf,
  recordAudit,
  recordDifference,
} from '../audit/audit-log.ts';
import { takeOpenBan } from '../audit/ban-log.ts';
import { toInstant, toQuotaWindows } from '../quotas/quota-windows.ts';
import { announceKeyChange } from '../replicas/change-channel.ts';
import { revoked } from '../schema/lifetime.ts';
import type { ListPosition } from '../schema/list-page.ts';
import { accounts, apiKeys } from '../schema/schema.ts';
import { resumed, suspended } from '../schema/suspension.ts';
import { type PlanChoice, storedPlan } from './api-key.ts';
import { findAppliedPlan, findStoredAccount, resolveAccount } from './key-account.ts';
import { findKey, keyTokens } from './key-record.ts';
import { countFoundKeys, searchKeys } from './key-search.ts';

export type KeyManagement = ReturnType<typeof createKeyManagement>;

const findAnyKey = statement('find_any_key', (db) =>
  db.select({ id: apiKeys.id }).from(apiKeys).limit(1),
);

const insertKey = statement('insert_key', (tx, key: typeof apiKeys.$inferInsert) =>
  tx.insert(apiKeys).values(key).returning({ id: apiKeys.id }),
);

const updateKey = statement(
  'update_key',
  (tx, id: string, values: PgUpdateSetSource<typeof apiKeys>) =>
    tx.update(apiKeys).set(values).where(eq(apiKeys.id, id)),
);

/** Locks a key, if there is one, until the transaction ends. */
const lockKey = statement('lock_key', (tx, id: string) =>
  tx.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.id, id)).for('update'),
);

/** Keeps the plans of accounts as they are until the transaction ends. */
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

/** Tells whether there is any key, valid or not. */
export async function hasAnyKey(db: Database): Promise<boolean> {
  return (await findAnyKey(db)).length > 0;
}

/** Creates a key. Its token is in the result and nowhere else: it cannot be shown again. */
export const createApiKey = (
  db: Database,
  newKey: NewKey,
): Promise<{ id: string; token: string }> =>
  inTransaction('create_key', db, (tx) => addKey(tx, newKey));

async function addKey(tx: Database, newKey: NewKey): Promise<{ id: string; token: string }> {
  const { name, expiresAt, scopes } = newKey;
  const account = newKey.account && (await resolveAccount(tx, newKey.account));
  const choice = await planOfNewKey(tx, { ...newKey, account });
  const [row] = await insertKey(tx, { name, ...storedPlan(choice), account, expiresAt, scopes });
  if (row === undefined) throw new Error('An insert returned no row.');
  return { id: row.id, token: await keyTokens.add(tx, row.id) };
}

/** The plan of a new key. One that is given none gets the smallest, which rests while its account has one. */
async function planOfNewKey(tx: Database, { account, ...wanted }: NewKey): Promise<PlanChoice> {
  if (wanted.plan === 'enterprise') return { plan: wanted.plan, quota: wanted.quota };
  if (wanted.plan !== undefined) return { plan: wanted.plan };
  if ((await sharedBy(tx, account ?? null)) === undefined) {
    throw new AdminRefusal('invalid_request', adminErrorMessages.planMissing);
  }
  return { plan: 'free' };
}

/** Where the ban of a key was, and where it is after a change of its account. */
interface Move {
  readonly from: ConsumerId;
  readonly to: ConsumerId;
}

interface Subject {
  readonly id: string;
  readonly action: AuditAction;
  readonly cause: Cause;
}

/**
 * What operators do with API keys. Each change is one transaction with its entry in the audit log and its
 * announcement: all replicas learn of it when it is committed, and never of one that was rolled back.
 *
 * @param onChanged called with a changed key before the change returns, so that this replica never
 * serves an outdated one afterwards.
 */
export function createKeyManagement(
  db: Database,
  onChanged: (keyId: string) => void,
  quotas: Pick<KeyQuotas, 'look' | 'unban' | 'moveBan' | 'credit'>,
) {
  /** Locks and changes a key, and records and announces that. One that has ended can only be revoked. */
  async function change<Result>(
    { id, action, cause }: Subject,
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
   * Ends the ban of a locked key. Its account may get its first plan meanwhile, and take the ban along: then it ends
   * there, too.
   *
   * @throws {AdminRefusal} if Redis is away: a replica could not do it later if it stopped before.
   */
  async function endBan(tx: Database, { id, account }: Key): Promise<void> {
    const findAccountId = async () => (await findStoredAccount(tx, account))?.id;
    try {
      const accountId = await findAccountId();
      await quotas.unban({ id, accountId });
      const createdId = accountId ?? (await findAccountId());
      if (createdId !== accountId) await quotas.unban({ id, accountId: createdId });
    } catch (error) {
      if (!(error instanceof QuotasAwayError)) throw error;
      throw new AdminRefusal('service_unavailable', adminErrorMessages.notUnbanned);
    }
  }

  const set = async (subject: Subject, values: PgUpdateSetSource<typeof apiKeys>): Promise<Key> =>
    (await change(subject, (tx) => updateKey(tx, subject.id, values))).key;

  return {
    /** @throws {AdminRefusal} as all of these, if there is no such key. */
    find: (id: string): Promise<Key> => findKey(db, id),

    findAppliedPlan: (key: Key) => findAppliedPlan(db, key),

    /** Up to `limit` keys that match every filter, from a position on. */
    list: (filter: KeyFilter, limit: number, position: ListPosition | undefined) =>
      searchKeys(db, filter, limit, position),

    /** How many keys match every filter. */
    count: (filter: KeyFilter) => countFoundKeys(db, filter),

    /** Creates a key with its first token. It need not be announced: no replica can have cached it. */
    create: (newKey: NewKey, cause: Cause): Promise<IssuedKey> =>
      inTransaction('change_key', db, async (tx) => {
        await cause.confirmActor?.(tx);
        const { id, token } = await addKey(tx, newKey);
        const key = await findKey(tx, id);
        const change = { before: undefined, after: key };
        await recordDifference(tx, { action: 'key.created', cause }, change);
        return { key, token };
      }),

    /** Changes a key. The counts stay. */
    async change(id: string, { plan, quota, ...wanted }: KeyChange, cause: Cause): Promise<Key> {
      let moved: Move | undefined;
      const changing = change({ id, action: 'key.changed', cause }, async (tx, before) => {
        const choice = choosePlan(before, { plan, quota });
        const to = wanted.account && (await resolveAccount(tx, wanted.account));
        await updateKey(tx, id, { ...wanted, account: to, ...storedPlan(choice) });
        if (to === undefined) return undefined;
        // Whoever changes the plan of one of them lists its keys after this change, or this change sees the new plan.
        await lockAccounts(tx, [before.account, to]);
        const move: Move = {
          from: { id, accountId: await sharedBy(tx, before.account) },
          to: { id, accountId: await sharedBy(tx, to) },
        };
        if (move.from.accountId === move.to.accountId) return undefined;
        // While the key is locked: an unban waits for it, and looks for the ban where the key is then.
        moved = move;
        await quotas.moveBan(move.from, move.to);
        return move;
      });
      const { key, result: move } = await changing.catch(async (failure: unknown) => {
        if (moved !== undefined) await quotas.moveBan(moved.to, moved.from);
        throw failure;
      });
      // What a request has begun there before this replica knew of the change.
      if (move !== undefined) await quotas.moveBan(move.from, move.to);
      return key;
    },

    /** Gives a key a new token. Its other tokens stay valid for the grace period at most. */
    async rotate(id: string, graceSeconds: number, cause: Cause): Promise<IssuedKey> {
      const { key, result } = await change({ id, action: 'key.rotated', cause }, (tx) =>
        keyTokens.replace(tx, id, graceSeconds),
      );
      return { key, token: result };
    },

    /** Revokes a key permanently. Revoking it again changes nothing, but is announced again. */
    revoke: (id: string, cause: Cause) =>
      set({ id, action: 'key.revoked', cause }, revoked(apiKeys)),

    /** Suspends a key. Doing it again changes at most the reason. */
    suspend: (id: string, cause: Cause) =>
      set({ id, action: 'key.suspended', cause }, suspended(apiKeys, cause.reason)),

    /** Resumes a key. One that is not suspended stays as it is. */
    resume: (id: string, cause: Cause) => set({ id, action: 'key.resumed', cause }, resumed),

    /** Gives a key back what it has used of its own windows, and records that. */
    async credit(id: string, cause: Cause): Promise<Key> {
      return inTransaction('change_key', db, async (tx) => {
        await cause.confirmActor?.(tx);
        await lockKey(tx, id);
        const key = await findKey(tx, id);
        refuseEnded(key);
        const limited = await findLimited(tx, key);
        // While the key is locked: of two credits at once, the second one gives nothing back and records nothing.
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
     * Unbans a key, and records that.
     *
     * The ban ends where quotas are kept just before the commit. So it stays if the database is
     * unavailable. Only if the commit itself fails does the ban end without an entry; the caller then gets
     * an error, and repeats.
     */
    async unban(id: string, cause: Cause): Promise<Key> {
      const limited = { ...(await findAppliedPlan(db, await findKey(db, id))), id };
      // Before the transaction: a Redis that hangs must not hold the key's lock and a connection.
      const { strikes, bannedUntil } = await quotas.look(limited);
      const banEnds = bannedUntil === undefined ? null : toInstant(bannedUntil);
      return inTransaction('change_key', db, async (tx) => {
        await cause.confirmActor?.(tx);
        await lockKey(tx, id);
        const key = await findKey(tx, id);
        refuseEnded(key);
        const before = { bannedUntil: (await takeOpenBan(tx, id)) ?? banEnds, strikes };
        await recordAudit(tx, {
          cause,
          action: 'key.unbanned',
          subject: { type: 'key', id, name: key.name, account: key.account },
          // Recorded even if there was nothing to end: the start of a ban that it has ended may be written later, and
          // is then known to be over by this entry (`ban-log.ts`).
          ...(differenceOf(before, { bannedUntil: null, strikes: 0 }) ?? { before: {}, after: {} }),
        });
        await endBan(tx, key);
        return key;
      });
    },
  };
}

/** @throws {AdminRefusal} if the key has no windows of its own. */
async function findLimited(tx: Database, key: Key) {
  const limited = { ...(await findAppliedPlan(tx, key)), id: key.id };
  if (limited.accountId === undefined) return limited;
  const message = adminErrorMessages.windowsOfAccount(key.account ?? '');
  throw new AdminRefusal('invalid_request', message);
}

/**
 * Gives back what was used of both windows, and records that, in the transaction of a change.
 *
 * @throws {AdminRefusal} if Redis is away: then nothing is recorded, either.
 */
export async function creditWindows(
  tx: Database,
  quotas: Pick<KeyQuotas, 'credit'>,
  {
    key,
    usage,
    ...change
  }: Pick<Change, 'action' | 'cause' | 'subject'> & {
    readonly key: ConsumerId;
    readonly usage: QuotaDecision;
  },
): Promise<void> {
  const { minute, day } = toQuotaWindows(usage);
  const used = { minute: minute.limit - minute.remaining, day: day.limit - day.remaining };
  const after = { used: { minute: 0, day: 0 } };
  if (used.minute > 0 || used.day > 0)
    await recordAudit(tx, { ...change, before: { used }, after });
  try {
    await quotas.credit(key);
  } catch (error) {
    if (!(error instanceof QuotasAwayError)) throw error;
    throw new AdminRefusal('service_unavailable', adminErrorMessages.notCredited);
  }
}

/** The id of an account that has a plan. */
async function sharedBy(tx: Database, account: string | null): Promise<string | undefined> {
  const found = await findStoredAccount(tx, account);
  return found?.plan == null ? undefined : found.id;
}

/** @throws {AdminRefusal} if a key has expired or was revoked. A suspended one may be changed. */
function refuseEnded({ state }: Key): void {
  if (state === 'expired' || state === 'revoked') {
    throw new AdminRefusal('key_not_active', adminErrorMessages.key_not_active(state));
  }
}

/** @throws {AdminRefusal} if the key cannot get the plan. */
function choosePlan(key: Key, wanted: Pick<KeyChange, 'plan' | 'quota'>): PlanChoice {
  const plan = wanted.plan ?? key.plan;
  if (plan !== 'enterprise') {
    if (wanted.quota === undefined) return { plan };
    throw new AdminRefusal(
      'invalid_request',
      `quota: expected none: the key's plan is ${plan}, and only Enterprise keys have numbers of their own`,
    );
  }
  const quota = wanted.quota ?? (key.plan === 'enterprise' ? key.quota : undefined);
  if (quota === undefined)
    throw new AdminRefusal('invalid_request', adminErrorMessages.quotaMissing);
  return { plan, quota };
}
