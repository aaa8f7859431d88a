import {
  type Account,
  type AccountFilter,
  type AccountPlan,
  type AuditAction,
  adminErrorMessages,
} from '@animal-store/admin-contract';
import type { Database } from '@animal-store/postgres';
import { inTransaction, statement } from '@animal-store/postgres';
import type { Quotas } from '@animal-store/quotas';
import { and, eq, isNull } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { type Cause, differenceOf, recordAudit } from '../audit/audit-log.ts';
import { storedPlan } from '../keys/api-key.ts';
import { createBanMoves } from '../keys/ban-moves.ts';
import { creditWindows } from '../keys/credit-windows.ts';
import { resolveAccount, resolveFilter, type StoredAccount } from '../keys/key-account.ts';
import { announceAccountChange } from '../replicas/change-channel.ts';
import { AdminRefusal } from '../schema/admin-refusal.ts';
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

/**
 * Creates the operations on accounts. Each change runs in one transaction with its audit entry and
 * the message that announces the change to all replicas. If two changes are concurrent, the later
 * one wins.
 *
 * @param onChanged a function that is called with the account's name before a change returns, so
 * that this replica never uses outdated limits afterwards.
 */
export function createAccountManagement(
  db: Database,
  onChanged: (account: string) => void,
  quotas: Pick<Quotas, 'moveBan' | 'credit' | 'lookAtAccount'>,
) {
  const moves = createBanMoves(db, quotas);

  /**
   * Locks and changes an account, records the change in the audit log, and announces the change to
   * all replicas.
   */
  async function change(
    { name, action, cause }: { name: string; action: AuditAction; cause: Cause },
    values: AccountValues,
    alsoInTransaction?: (tx: Database) => Promise<void>,
  ): Promise<Account> {
    const account = await inTransaction('change_account', db, async (tx) => {
      await cause.confirmActor?.(tx);
      await insertAccount(tx, name);
      const [before] = await lockAccount(tx, name);
      const [after] = await updateAccount(tx, name, values);
      if (before === undefined || after === undefined)
        throw new Error(
          `The account ${name} was not stored: the UPDATE returned no row. Report this as a bug of the service.`,
        );
      const difference = differenceOf(auditedOf(before), auditedOf(after));
      if (difference !== undefined) {
        const subject = { type: 'account', id: after.id, name, account: name } as const;
        await recordAudit(tx, { action, cause, subject, ...difference });
      }
      await announceAccountChange(tx, name);
      await alsoInTransaction?.(tx);
      return completeAccount(tx, name, after);
    });
    onChanged(name);
    return account;
  }

  return {
    /**
     * Converts a name of an account that an operator has typed to the form in which it is stored.
     * All other functions expect the stored form.
     */
    resolve: (typedName: string): Promise<string> => resolveAccount(db, typedName),

    /** Returns a filter in which the account has its stored name. */
    resolveFilter: <Filter extends { readonly account?: string | undefined }>(
      filter: Filter,
    ): Promise<Filter> => resolveFilter(db, filter),

    /**
     * Finds an account, and the id under which its API keys share a quota. The id is `undefined` if
     * the account has no plan.
     *
     * @throws {AdminRefusal} if there is no account with this name.
     */
    async find(name: string): Promise<{ account: Account; accountId: string | undefined }> {
      const stored = await findAccount(db, name);
      const account = await completeAccount(db, name, stored);
      return { account, accountId: account.plan === null ? undefined : stored?.id };
    },

    /**
     * Returns up to `limit` accounts that match all given filters, beginning after a position in the
     * list.
     */
    list: (filter: AccountFilter, limit: number, position: ListPosition | undefined) =>
      searchAccounts(db, filter, limit, position),

    /** Counts the accounts that match all given filters. */
    count: (filter: AccountFilter) => countFoundAccounts(db, filter),

    countBans: (names: string[]) => countBansOfAccounts(db, names),

    listBans: (names: string[], limit: number) => listBansOfAccounts(db, names, limit),

    /**
     * Sets or removes the plan of an account. The request counts of the account do not change, and
     * a banned API key stays banned.
     */
    async setPlan(name: string, choice: AccountPlan, cause: Cause): Promise<Account> {
      let ids: string[] = [];
      const move = await moves.begin({ keyId: null, accounts: [name] });
      const changing = change(
        { name, action: 'account.changed', cause },
        choice.plan === null ? { plan: null, perMinute: null, perDay: null } : storedPlan(choice),
        // The list contains the API keys that belong to the account while it is locked. If a key
        // leaves the account later, the ban of the key still moves with this change.
        async (tx) => {
          ids = (await listKeyIds(tx, name)).map(({ id }) => id);
        },
      );
      // Redis stores the ban of an API key together with the request counts that the key uses. So a
      // change of the plan moves the bans of the keys to other counts: see `ban-moves.ts`.
      //
      // Until all replicas know the new plan, requests use the old plan and could still start bans.
      // So the bans move after the change. They move even if the change fails, because the change
      // may have been committed despite the error. If a move fails, a replica finishes it later.
      await changing.catch(() => {});
      await moves.finish(move, ids).catch(() => {});
      return changing;
    },

    /**
     * Sets the request counts of an account with a plan to zero for the current minute and day, and
     * records this in the audit log.
     */
    async credit(name: string, cause: Cause): Promise<Account> {
      const stored = await findAccount(db, name);
      if (stored === undefined || stored.plan === null) {
        throw new AdminRefusal('invalid_request', adminErrorMessages.windowsOfKeys);
      }
      const { id } = stored;
      await inTransaction('change_account', db, async (tx) => {
        await cause.confirmActor?.(tx);
        // The plan is read again after locking the account, because another operator may have
        // removed the plan.
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

    /**
     * Suspends an account. `key-lookup.ts` then refuses all API keys of the account. A second
     * suspension changes only the reason.
     */
    async suspend(name: string, cause: Cause): Promise<Account> {
      await findAccount(db, name);
      const values = suspended(accounts, cause.reason);
      return change({ name, action: 'account.suspended', cause }, values);
    },

    /** Resumes a suspended account. If the account is not suspended, nothing changes. */
    async resume(name: string, cause: Cause): Promise<Account> {
      await findAccount(db, name);
      return change({ name, action: 'account.resumed', cause }, resumed);
    },
  };
}

/**
 * Returns the properties of an account that the audit log compares. A plan or quota that is not set
 * is left out.
 */
function auditedOf(account: StoredAccount) {
  const { plan, quota, suspension } = decisionsOf(account);
  return {
    ...(plan !== null && { plan }),
    ...(quota !== null && { quota }),
    suspension,
  };
}
