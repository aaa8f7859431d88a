import type { IssuedKey, Key, KeyDetails } from '@animal-store/contract/admin';
import { formatFields, formatTable, toCount } from './format-table.ts';
import { toExpiry, toMinute, toTime } from './format-time.ts';
import { showToken, tokenFields, tokensCell, toState } from './show-tokens.ts';

/** Shown for a missing value. */
const none = '-';

/** Shown while Redis is unavailable. */
const ofOneReplica = 'of one replica only, against its share: Redis is unavailable';

/** A list of keys as a table. */
export function showKeys(keys: readonly Key[]): string {
  if (keys.length === 0) return 'There are no such keys.\n';
  return formatTable(keys, {
    ID: ({ id }) => id,
    NAME: ({ name }) => name ?? none,
    ACCOUNT: ({ account }) => account ?? none,
    PLAN: ({ plan }) => plan,
    'PER MINUTE': ({ quota }) => toCount(quota.perMinute),
    'PER DAY': ({ quota }) => toCount(quota.perDay),
    STATE: ({ state }) => state,
    TOKENS: ({ tokens }) => tokensCell(tokens),
    EXPIRES: ({ expiresAt }) => toExpiry(expiresAt),
    'LAST USED': toLastUse,
  });
}

/** One key, with its current usage if that is given. */
export function showKey(key: Key | KeyDetails): string {
  const { perMinute, perDay } = key.quota;
  return formatFields([
    ['Id', key.id],
    ['Name', key.name ?? none],
    ['Account', key.account ?? none],
    ['Plan', `${key.plan}: ${toCount(perMinute)} per minute, ${toCount(perDay)} per day`],
    ['State', toState(key)],
    ['Created', toTime(key.createdAt)],
    ['Expires', toExpiry(key.expiresAt)],
    ['Last used', toLastUse(key)],
    ...tokenFields(key.tokens),
    ...('usage' in key ? usageFields(key.usage) : []),
  ]);
}

/** A key with its new token. */
export function showIssuedKey({ key, token }: IssuedKey): string {
  return `${showKey(key)}\n${showToken(token)}`;
}

function usageFields(usage: KeyDetails['usage']) {
  const { scope, windows, strikes, strikeThreshold, bannedUntil } = usage;
  const windowField = ({ limit, remaining, resetsAt }: (typeof windows)['minute']) =>
    `${toCount(remaining)} of ${toCount(limit)} left, resets ${toTime(resetsAt)}`;
  return [
    ...(scope === 'replica' ? [['Usage', ofOneReplica] as const] : []),
    ['Minute', windowField(windows.minute)],
    ['Day', windowField(windows.day)],
    [
      'Strikes',
      strikeThreshold === null
        ? 'bans are off'
        : `${toCount(strikes)} (banned above ${toCount(strikeThreshold)})`,
    ],
    ['Banned', bannedUntil === null ? 'no' : `until ${toTime(bannedUntil)}`],
  ] as const;
}

function toLastUse({ lastUsedAt }: Key): string {
  return lastUsedAt === null ? 'never' : toMinute(lastUsedAt);
}
