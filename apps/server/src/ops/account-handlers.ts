import {
  type AccountDetails,
  accountContract,
  adminRoutes,
  type BusyKey,
  type Key,
  maxBusyKeys,
  maxShownKeys,
} from '@animal-store/admin-contract';
import { hideTokens } from '@animal-store/contract/token-form';
import { initServer } from '@ts-rest/express';
import type { Response } from 'express';
import { toQuotaWindows } from '../quotas/quota-windows.ts';
import { lastBuckets } from '../usage/usage-queries.ts';
import { type AdminServices, change } from './admin-operation.ts';
import { type PagedList, readPage } from './read-page.ts';
import { readLedger } from './usage-range.ts';

export function createAccountHandlers(services: AdminServices) {
  const { clock, accounts, keys, quotas, usage, readBans } = services;
  const today = () => lastBuckets(1, 'day', clock.now());

  /**
   * Reads up to `maxShownKeys` banned API keys of accounts, and counts all banned keys of each
   * account.
   */
  const readBansOf = (names: string[]) =>
    readBans(
      async () => {
        const [bans, counts] = await Promise.all([
          accounts.listBans(names, maxShownKeys),
          accounts.countBans(names),
        ]);
        return { bans, counts };
      },
      ({ bans }) => bans,
    );

  async function detailsOf(name: string): Promise<AccountDetails> {
    const { account, accountId } = await accounts.find(name);
    const [decision, { bans, counts }, suspendedKeys, sums, busiest, newest] = await Promise.all([
      accountId === undefined || account.quota === null
        ? undefined
        : quotas.keys.lookAtAccount(accountId, account.quota),
      readBansOf([name]),
      keys.count({ account: name, state: 'suspended' }),
      usage.sumOfAccounts([name], today()),
      usage.listBusiest({ account: name }, today(), maxBusyKeys),
      keys.list({ account: name }, maxShownKeys, undefined),
    ]);
    return {
      ...account,
      usage: decision ? { scope: decision.scope, windows: toQuotaWindows(decision) } : null,
      bans,
      bannedKeys: counts.get(name) ?? 0,
      suspendedKeys,
      ...sums(name),
      fullKeys: account.quota === null ? await findFull(busiest, newest.items) : [],
      busiestKeys: busiest,
      newestKeys: [...newest.items],
    };
  }

  /**
   * Returns the API keys in `busiest` that have used up their own quota for the current minute or
   * day. A key that is also in `known` is not read from the database again.
   */
  async function findFull(
    busiest: readonly BusyKey[],
    known: readonly Key[],
  ): Promise<AccountDetails['fullKeys']> {
    const looked = await Promise.all(
      busiest.map(async ({ keyId, name }) => {
        const key = known.find(({ id }) => id === keyId) ?? (await keys.find(keyId));
        if (key.state !== 'active') return [];
        const { quota } = key;
        const windows = toQuotaWindows(await quotas.keys.look({ id: keyId, quota }));
        const isFull = windows.minute.remaining === 0 || windows.day.remaining === 0;
        return isFull ? [{ keyId, name, windows }] : [];
      }),
    );
    return looked.flat();
  }

  /** Returns the account that the request's path names, and stores it for the log. */
  async function accountOf(request: { params: { account: string }; res: Response }) {
    const account = await accounts.resolve(request.params.account);
    // The name of an old account may be an API key that somebody has entered by mistake, so API
    // keys are masked in the log.
    request.res.locals.account = hideTokens(account);
    return account;
  }

  return initServer().router(accountContract, {
    async listAccounts({ query: { limit, cursor, count, ...filter }, res }) {
      const { path } = adminRoutes.listAccounts;
      const list: PagedList = { path, limit, filter };
      const items = await readPage(
        res,
        list,
        { cursor, count },
        {
          find: (from) => accounts.list(filter, limit, from),
          count: () => accounts.count(filter),
        },
      );
      const names = items.map(({ account }) => account);
      const [{ counts }, sums] = await Promise.all([
        readBansOf(names),
        usage.sumOfAccounts(names, today()),
      ]);
      const body = items.map((item) => ({
        ...item,
        bannedKeys: counts.get(item.account) ?? 0,
        ...sums(item.account),
      }));
      return { status: 200, body };
    },

    async getAccount({ query: { include, ...question }, ...request }) {
      const account = await accountOf(request);
      const [details, history] = await Promise.all([
        detailsOf(account),
        include && readLedger(services, { account }, question),
      ]);
      return { status: 200, body: { ...details, history } };
    },

    setAccountPlan: change(async (request, cause) =>
      accounts.setPlan(await accountOf(request), request.body, cause),
    ),
    creditAccount: change(async (request, cause) =>
      accounts.credit(await accountOf(request), cause),
    ),
    suspendAccount: change(async (request, cause) =>
      accounts.suspend(await accountOf(request), cause),
    ),
    resumeAccount: change(async (request, cause) =>
      accounts.resume(await accountOf(request), cause),
    ),
  });
}
