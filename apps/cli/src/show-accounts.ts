import type { Account, AccountDetails, ListedAccount } from '@animal-store/admin-contract';
import { type Field, formatFields, formatTable, none, toCount } from './format-table.ts';
import { listedState, scopeFields, suspensionFields, windowFields } from './show-keys.ts';

export function showAccounts(accounts: readonly ListedAccount[]): string {
  if (accounts.length === 0) return 'No accounts match.\n';
  return formatTable(accounts, {
    ACCOUNT: ({ account }) => account,
    PLAN: ({ plan }) => plan ?? none,
    'PER MINUTE': ({ quota }) => (quota === null ? none : toCount(quota.perMinute)),
    'PER DAY': ({ quota }) => (quota === null ? none : toCount(quota.perDay)),
    STATE: ({ suspension }) => (suspension === null ? 'active' : 'suspended'),
    KEYS: ({ keys }) => toCount(keys),
    'REQUESTS TODAY': ({ requestsToday }) => toCount(requestsToday),
    'DENIED TODAY': ({ deniedToday }) => toCount(deniedToday),
  });
}

export function showAccount(account: Account | AccountDetails): string {
  const { plan, quota, suspension, keys } = account;
  const shared =
    plan === null || quota === null
      ? 'none: each key has its own plan'
      : `${plan}: ${toCount(quota.perMinute)} per minute, ${toCount(quota.perDay)} per day, shared by the keys of the account`;
  const fields = formatFields([
    ['Account', account.account],
    ['Plan', shared],
    ['State', suspension === null ? 'active' : 'suspended'],
    ...suspensionFields(suspension),
    ['Keys', toCount(keys)],
    ...('usage' in account ? usageFields(account) : []),
  ]);
  return 'newestKeys' in account ? `${fields}${keysOf(account)}` : fields;
}

function usageFields({ usage, requestsToday }: AccountDetails): Field[] {
  return [
    ...(usage === null ? [] : [...scopeFields(usage.scope), ...windowFields(usage.windows)]),
    ['Today', `${toCount(requestsToday)} requests`],
  ];
}

/** Lists the keys of an account. The keys with the most requests today come first. */
function keysOf({ busiestKeys, newestKeys }: AccountDetails): string {
  if (newestKeys.length === 0) return '';
  const busy = new Set(busiestKeys.map(({ keyId }) => keyId));
  const rows = [
    ...busiestKeys.map(({ keyId, name, requests }) => ({ id: keyId, name, requests })),
    ...newestKeys
      .filter(({ id }) => !busy.has(id))
      .map(({ id, name }) => ({ id, name, requests: 0 })),
  ];
  const states = new Map(newestKeys.map((key) => [key.id, listedState(key)]));
  const table = formatTable(rows, {
    ID: ({ id }) => id,
    NAME: ({ name }) => name ?? none,
    STATE: ({ id }) => states.get(id) ?? none,
    'REQUESTS TODAY': ({ requests }) => toCount(requests),
  });
  return `\n${table}`;
}
