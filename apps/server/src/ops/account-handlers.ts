import {
  type AccountDetails,
  accountContract,
  adminRoutes,
  maxBusyKeys,
  maxShownKeys,
} from '@animal-store/contract/admin';
import { hideTokens } from '@animal-store/contract/token-form';
import { initServer } from '@ts-rest/express';
import type { Response } from 'express';
import type { AccountManagement } from '../accounts/account-management.ts';
import { isAccountPosition } from '../accounts/account-search.ts';
import { jsonBody } from '../http/json-body.ts';
import type { KeyManagement } from '../keys/key-management.ts';
import type { Quotas } from '../quotas/open-quotas.ts';
import { toQuotaWindows } from '../quotas/quota-decision.ts';
import type { Clock } from '../shared/clock.ts';
import type { UsageQueries } from '../usage/usage-queries.ts';
import { linkNextPage, type PagedList, readCursor } from './admin-cursor.ts';
import { causeOf } from './change-request.ts';
import { readLedger } from './usage-range.ts';

const dayMs = 86_400_000;

/** The operations on accounts. */
export function createAccountHandlers(options: {
  clock: Pick<Clock, 'now'>;
  accounts: AccountManagement;
  keys: Pick<KeyManagement, 'list'>;
  quotas: Pick<Quotas, 'keys'>;
  usage: Pick<UsageQueries, 'read' | 'readBusiest' | 'sumOfAccounts'>;
}) {
  const { clock, accounts, keys, quotas, usage } = options;

  async function detailsOf(name: string): Promise<AccountDetails> {
    const { account, accountId } = await accounts.find(name);
    const range = dayOf(clock.now());
    const [decision, sums, busiest, newest] = await Promise.all([
      accountId === undefined || account.quota === null
        ? undefined
        : quotas.keys.lookAtAccount(accountId, account.quota),
      usage.sumOfAccounts([name], range),
      usage.readBusiest({ account: name }, range, maxBusyKeys),
      keys.list({ account: name }, maxShownKeys, undefined),
    ]);
    return {
      ...account,
      usage:
        decision === undefined
          ? null
          : { scope: decision.scope, windows: toQuotaWindows(decision) },
      requestsToday: sums.get(name) ?? 0,
      busiestKeys: busiest.keys,
      newestKeys: [...newest.items],
    };
  }

  /** The account that a path means. It is noted for the log. */
  async function accountOf(params: { account: string }, res: Response): Promise<string> {
    const account = await accounts.resolve(params.account);
    // One of a version before may be a token without its scheme.
    res.locals.account = hideTokens(account);
    return account;
  }

  return initServer().router(accountContract, {
    async listAccounts({ query: { limit, cursor, ...filter }, res }) {
      const { path } = adminRoutes.listAccounts;
      const list: PagedList = { path, limit, filter, isPosition: isAccountPosition };
      const { items, next } = await accounts.list(filter, limit, readCursor(list, cursor));
      linkNextPage(res, list, next);
      const names = items.map(({ account }) => account);
      const sums = await usage.sumOfAccounts(names, dayOf(clock.now()));
      const body = items.map((item) => ({ ...item, requestsToday: sums.get(item.account) ?? 0 }));
      return { status: 200, body };
    },

    async getAccount({ params, query: { include, ...question }, res }) {
      const account = await accountOf(params, res);
      const [details, history] = await Promise.all([
        detailsOf(account),
        include === undefined
          ? undefined
          : readLedger(usage, { account }, { ...question, now: clock.now() }),
      ]);
      return { status: 200, body: { ...details, history } };
    },

    setAccountPlan: {
      middleware: [jsonBody],
      async handler({ params, query, body, res }) {
        const account = await accountOf(params, res);
        return { status: 200, body: await accounts.setPlan(account, body, causeOf(res, query)) };
      },
    },

    async suspendAccount({ params, query, res }) {
      const account = await accountOf(params, res);
      return { status: 200, body: await accounts.suspend(account, causeOf(res, query)) };
    },

    async resumeAccount({ params, query, res }) {
      const account = await accountOf(params, res);
      return { status: 200, body: await accounts.resume(account, causeOf(res, query)) };
    },
  });
}

/** The day of a time, in UTC as the ledger's. */
function dayOf(unixMs: number) {
  const from = Math.floor(unixMs / dayMs) * dayMs;
  return { from: new Date(from).toISOString(), to: new Date(from + dayMs).toISOString() };
}
