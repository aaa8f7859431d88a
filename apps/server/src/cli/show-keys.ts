import type { Key, KeyDetails } from '@animal-store/contract/admin';
import { formatFields, formatTable, toCount } from './table.ts';
import { toTime } from './to-time.ts';

/** Shown for a missing value. */
const none = '-';

/** Shown while Redis is unavailable. */
const ofOneReplica = 'of one replica only, against its share: Redis is unavailable';

/** A list of keys as a table. */
export function showKeys(keys: readonly Key[]): string {
  if (keys.length === 0) return 'There are no such keys.\n';
  return formatTable(
    [
      'ID',
      'NAME',
      'ACCOUNT',
      'PLAN',
      'PER MINUTE',
      'PER DAY',
      'STATE',
      'TOKENS',
      'EXPIRES',
      'LAST USED',
    ],
    keys.map((key) => [
      key.id,
      key.name ?? none,
      key.account ?? none,
      key.plan,
      toCount(key.quota.perMinute),
      toCount(key.quota.perDay),
      key.state,
      key.tokens.map(({ prefix }) => `${prefix}…`).join(' ') || none,
      key.expiresAt === null ? 'never' : toTime(key.expiresAt),
      toLastUse(key),
    ]),
  );
}

/** One key, with its current usage if that is given. */
export function showKey(key: Key | KeyDetails): string {
  const { perMinute, perDay } = key.quota;
  return formatFields([
    ['Id', key.id],
    ['Name', key.name ?? none],
    ['Account', key.account ?? none],
    ['Plan', `${key.plan}: ${toCount(perMinute)} per minute, ${toCount(perDay)} per day`],
    ['State', key.revokedAt === null ? key.state : `revoked ${toTime(key.revokedAt)}`],
    ['Created', toTime(key.createdAt)],
    ['Expires', key.expiresAt === null ? 'never' : toTime(key.expiresAt)],
    ['Last used', toLastUse(key)],
    ...key.tokens.map(({ prefix, expiresAt }, index) => {
      const until = expiresAt === null ? '' : `  replaced, valid until ${toTime(expiresAt)}`;
      return [index === 0 ? 'Tokens' : '', `${prefix}…${until}`] as const;
    }),
    ...('usage' in key ? usageFields(key.usage) : []),
  ]);
}

/** A new token. The server cannot show it again. */
export function showToken(token: string): string {
  return `${formatFields([['Token', token]])}\nKeep the token: it is not shown again.\n`;
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

/** The minute of the last request. The usage ledger does not store seconds. */
function toLastUse({ lastUsedAt }: Key): string {
  return lastUsedAt === null ? 'never' : `${toTime(lastUsedAt).slice(0, -4)}Z`;
}
