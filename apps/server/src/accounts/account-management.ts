import {
  type Account,
  type AccountFilter,
  type AccountPlan,
  type AuditAction,
  adminErrorMessages,
} from '@animal-store/admin-contract';
import type { Database } from '@animal-store/postgres';
import { inTransaction, statement } from '@animal-store/postgres';
import type { Quotas as KeyQuotas } from '@animal-store/quotas';
import { and, eq, inArray, isNotNull, isNull } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { AdminRefusal } from '../audit/admin-refusal.ts';
import { type Cause, differenceOf, recordAudit } from '../audit/audit-log.ts';
import { storedPlan } from '../keys/api-key.ts';
import { findStoredAccount, resolveAccount, type StoredAccount } from '../keys/key-account.ts';
import { creditWindows } from '../keys/key-management.ts';
import { announceAccountChange } from '../replicas/change-channel.ts';
import type { ListPosition } from '../schema/list-page.ts';
import { accounts, apiKeys } from '../schema/schema.ts';
import { resumed, suspended } from '../schema/suspension.ts';
import {
  completeAccount,
  countBansOfAccounts,
  decisionsOf,
  findAccount,
  listBansOfAccounts,
} from './account-record.ts';
import { countFoundAccounts, searchAccounts } from './account-search.ts';

export type AccountManagement = ReturnType<typeof createAccountManagement>;

/** How many keys are locked at the same time while their bans move. */
const movedAtOnce = 50;

const insertAccount = statement('insert_account', (tx, name: string) =>
  tx.insert(accounts).values({ name }).onConflictDoNothing(),
);

const lockAccount = statement('lock_account', (tx, name: string) =>
  tx.select().from(accounts).where(eq(accounts.name, name)).for('update'),
);

type AccountValues = PgUpdateSetSource<typeof accounts>;

const updateAccount = statement('update_account', (tx, name: string, values: AccountValues) =>
  tx.update(accounts).set(values).where(eq(accounts.name, name)).returning(),
);

const listKeyIds = statement('list_keys_of_account', (tx, name: string) =>
  tx
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.account, name), isNull(apiKeys.revokedAt))),
);

/** Locks keys, and tells the account with whose plan each of them is counted. */
const lockPlaces = statement('lock_keys_of_account', (tx, ids: string[]) =>
  tx
    .select({ id: apiKeys.id, accountId: accounts.id })
    .from(apiKeys)
    .leftJoin(accounts, and(eq(accounts.name, apiKeys.account), isNotNull(accounts.plan)))
    .where(inArray(apiKeys.id, ids))
    .orderBy(apiKeys.id)
    .for('update', { of: apiKeys }),
);

/**
 * What operators do with accounts. Each change is one transaction with its entry in the audit log and its
 * announcement, as with keys. The last of several changes holds.
 *
 * @param onChanged called with a changed account before the change returns, so that this replica never
 * serves its keys by outdated limits afterwards.
 */
export function createAccountManagement(
  db: Database,
  onChanged: (account: string) => void,
  quotas: Pick<KeyQuotas, 'moveBan' | 'credit' | 'lookAtAccount'>,
) {
  /** Locks and changes an account, and records and announces that. */
  async function change(
    { name, action, cause }: { name: string; action: AuditAction; cause: Cause },
    values: AccountValues,
    alsoInside?: (tx: Database) => Promise<void>,
  ): Promise<Account> {
    const account = await inTransaction('change_account', db, async (tx) => {
      await cause.confirmActor?.(tx);
      await insertAccount(tx, name);
      const [before] = await lockAccount(tx, name);
      const [after] = await updateAccount(tx, name, values);
      if (before === undefined || after === undefined)
        throw new Error('An account was not stored.');
      const difference = differenceOf(auditedOf(before), auditedOf(after));
      if (difference !== undefined) {
        const subject = { type: 'account', id: after.id, name, account: name } as const;
        await recordAudit(tx, { action, cause, subject, ...difference });
      }
      await announceAccountChange(tx, name);
      await alsoInside?.(tx);
      return completeAccount(tx, name, after);
    });
    onChanged(name);
    return account;
  }

  /**
   * Moves the bans of the keys of an account to where they are counted now: with the account, if it has a plan, or with
   * the key. After the change, because requests go on by the old plan until all replicas know of the new one. Each key
   * is locked meanwhile, and its account is read again: another operator may change it, or end its ban.
   */
  async function settleBans(name: string, ids: readonly string[]): Promise<void> {
    const account = await findStoredAccount(db, name);
    if (account === undefined) return;
    for (let done = 0; done < ids.length; done += movedAtOnce) {
      await inTransaction('settle_bans', db, async (tx) => {
        const places = await lockPlaces(tx, ids.slice(done, done + movedAtOnce));
        const moves = places.flatMap(({ id, accountId }) => {
          const to = { id, accountId: accountId ?? undefined };
          return [undefined, account.id]
            .filter((from) => from !== to.accountId)
            .map((from) => quotas.moveBan({ id, accountId: from }, to));
        });
        await Promise.all(moves);
      });
    }
  }

  return {
    /** The name of the account that a text means. Other functions take it. */
    resolve: (given: string): Promise<string> => resolveAccount(db, given),

    /**
     * Finds an account, and the id under which its keys share a quota: `undefined` without a plan.
     *
     * @throws {AdminRefusal} if there is no such account.
     */
    async find(name: string): Promise<{ account: Account; accountId: string | undefined }> {
      const stored = await findAccount(db, name);
      const account = await completeAccount(db, name, stored);
      return { account, accountId: account.plan === null ? undefined : stored?.id };
    },

    /** Up to `limit` accounts that match every filter, by name, from a position on. */
    list: (filter: AccountFilter, limit: number, position: ListPosition | undefined) =>
      searchAccounts(db, filter, limit, position),

    /** How many accounts match every filter. */
    count: (filter: AccountFilter) => countFoundAccounts(db, filter),

    countBans: (names: string[]) => countBansOfAccounts(db, names),

    listBans: (names: string[], limit: number) => listBansOfAccounts(db, names, limit),

    /** Gives an account a plan, or takes it away. The counts stay, and bans stay with their keys. */
    async setPlan(name: string, choice: AccountPlan, cause: Cause): Promise<Account> {
      let ids: string[] = [];
      const account = await change(
        { name, action: 'account.changed', cause },
        choice.plan === null ? { plan: null, perMinute: null, perDay: null } : storedPlan(choice),
        // While the account is locked: a key that leaves it at this moment does so after the change of the plan.
        async (tx) => {
          ids = (await listKeyIds(tx, name)).map(({ id }) => id);
        },
      );
      // Also if nothing has changed: a replica may have stopped after the change, and the operator asks again.
      await settleBans(name, ids);
      return account;
    },

    /** Gives an account with a plan back what its keys have used of its windows, and records that. */
    async credit(name: string, cause: Cause): Promise<Account> {
      const stored = await findAccount(db, name);
      if (stored === undefined || stored.plan === null) {
        throw new AdminRefusal('invalid_request', adminErrorMessages.windowsOfKeys);
      }
      const { id } = stored;
      await inTransaction('change_account', db, async (tx) => {
        await cause.confirmActor?.(tx);
        // Chosen again: the plan may have gone meanwhile.
        const [locked] = await lockAccount(tx, name);
        const { quota } = decisionsOf(locked);
        if (quota === null) {
          throw new AdminRefusal('invalid_request', adminErrorMessages.windowsOfKeys);
        }
        const usage = await quotas.lookAtAccount(id, quota);
        const subject = { type: 'account', id, name, account: name } as const;
        const key = { id, accountId: id };
        await creditWindows(tx, quotas, { action: 'account.changed', cause, subject, key, usage });
      });
      return completeAccount(db, name, stored);
    },

    /** Suspends an account: `key-lookup.ts` then refuses all its keys. Doing it again changes at most the reason. */
    async suspend(name: string, cause: Cause): Promise<Account> {
      await findAccount(db, name);
      const values = suspended(accounts, cause.reason);
      return change({ name, action: 'account.suspended', cause }, values);
    },

    /** Resumes an account. One that is not suspended stays as it is. */
    async resume(name: string, cause: Cause): Promise<Account> {
      await findAccount(db, name);
      return change({ name, action: 'account.resumed', cause }, resumed);
    },
  };
}

/** What the audit log compares. What an account does not have is left out, as of a new key. */
function auditedOf(account: StoredAccount) {
  const { plan, quota, suspension } = decisionsOf(account);
  return {
    ...(plan !== null && { plan }),
    ...(quota !== null && { quota }),
    suspension,
  };
}
