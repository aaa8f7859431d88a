import type { IssuedKey, Key, KeyDetails, ListedKey, Operator } from '@animal-store/admin-contract';
import {
  type Field,
  formatFields,
  formatTable,
  none,
  toCount,
  toExpiry,
  toMinute,
  toTime,
} from './format-table.ts';

export function showKeys(keys: readonly ListedKey[]): string {
  if (keys.length === 0) return 'No keys match.\n';
  return formatTable(keys, {
    ID: ({ id }) => id,
    NAME: ({ name }) => name ?? none,
    ACCOUNT: ({ account }) => account ?? none,
    PLAN: ({ plan, inForce }) => (inForce.subject === 'key' ? plan : `${inForce.plan} (account)`),
    'PER MINUTE': ({ inForce }) => toCount(inForce.quota.perMinute),
    'PER DAY': ({ inForce }) => toCount(inForce.quota.perDay),
    STATE: listedState,
    TOKENS: ({ tokens }) => tokensCell(tokens),
    EXPIRES: ({ expiresAt }) => toExpiry(expiresAt),
    'LAST USED': ({ lastUsedAt }) => toLastTime(lastUsedAt),
  });
}

/**
 * Returns the state of an API key in a list. If only the account of the key is suspended, the state
 * is `account suspended`, because operators must then resume the account and not the key.
 */
export function listedState(key: ListedKey): string {
  const { state, bannedUntil, suspension } = key;
  if (state === 'suspended') return suspension === null ? 'account suspended' : state;
  return bannedUntil !== null && state === 'active' ? 'banned' : state;
}

export function showKey(key: Key | KeyDetails): string {
  const { subject, plan, quota } = key.inForce;
  const limits = `${plan}: ${toCount(quota.perMinute)} per minute, ${toCount(quota.perDay)} per day`;
  const plans: Field[] =
    subject === 'key'
      ? [['Plan', limits]]
      : [
          ['Plan', `${limits}, shared by the keys of the account ${key.account}`],
          ['Own plan', `${key.plan}, inactive while the account has a plan`],
        ];
  return formatFields([
    ['ID', key.id],
    ['Name', key.name ?? none],
    ['Account', key.account ?? none],
    ...plans,
    ['Scopes', key.scopes.join(', ')],
    ['State', isBannedKey(key) ? 'banned' : toState(key)],
    ...suspensionFields(key.suspension),
    ...suspensionFields(key.accountSuspension, 'Account suspended'),
    ['Created', toTime(key.createdAt)],
    ['Expires', toExpiry(key.expiresAt)],
    ['Last used', toLastTime(key.lastUsedAt)],
    ...lastRefusalFields(key),
    ...tokenFields(key),
    ...('usage' in key ? usageFields(key.usage) : []),
  ]);
}

/**
 * Returns whether an active key is banned. The result is always `false` for a key from a list,
 * because only the details of a key contain its ban.
 */
const isBannedKey = (key: Key | KeyDetails) =>
  'usage' in key && key.usage.bannedUntil !== null && key.state === 'active';

export function suspensionFields(suspension: Key['suspension'], name = 'Suspended'): Field[] {
  if (suspension === null) return [];
  const { at, reason } = suspension;
  return [[name, `${toTime(at)}${reason === null ? '' : `: ${reason}`}`]];
}

/** Returns a note if the counts come from a single replica. */
export function scopeFields(scope: KeyDetails['usage']['scope']): Field[] {
  if (scope !== 'replica') return [];
  return [
    [
      'Usage',
      'counted by one replica alone, against an equal share of each limit, because Redis is unavailable',
    ],
  ];
}

export function windowFields({ minute, day }: KeyDetails['usage']['windows']): Field[] {
  const left = ({ limit, remaining, resetsAt }: typeof minute) =>
    `${toCount(remaining)} of ${toCount(limit)} left, resets ${toTime(resetsAt)}`;
  return [
    ['Minute', left(minute)],
    ['Day', left(day)],
  ];
}

export function showIssuedKey({ key, token }: IssuedKey): string {
  return `${showKey(key)}\n${showToken(token)}`;
}

function usageFields(usage: KeyDetails['usage']): Field[] {
  const { scope, windows, bannedUntil } = usage;
  return [
    ...scopeFields(scope),
    ...windowFields(windows),
    ['Strikes', strikesField(usage)],
    ['Banned', bannedUntil === null ? 'no' : `until ${toTime(bannedUntil)}`],
  ];
}

function strikesField({ strikes, strikesResetAt, strikeThreshold }: KeyDetails['usage']): string {
  if (strikeThreshold === null) return 'bans are off';
  const reset = strikesResetAt === null ? '' : `, expire ${toTime(strikesResetAt)}`;
  return `${toCount(strikes)} (ban after ${toCount(strikeThreshold)})${reset}`;
}

/**
 * Returns a line with the time of the last refused request of a key, which shows whether somebody
 * still uses the key. There is no line for an active key without refused requests.
 */
function lastRefusalFields({ state, lastRefusedAt }: Key): Field[] {
  const isTried = state !== 'active' || lastRefusedAt !== null;
  return isTried ? [['Last refused', toLastTime(lastRefusedAt)]] : [];
}

function toLastTime(at: string | null): string {
  return at === null ? 'never' : toMinute(at);
}

export function tokensCell(tokens: Key['tokens']): string {
  return tokens.map(({ prefix }) => `${prefix}…`).join(' ') || none;
}

export function tokenFields({ tokens, state }: Pick<Key | Operator, 'tokens' | 'state'>): Field[] {
  // All tokens of a revoked or expired key are invalid.
  const isEnded = state === 'revoked' || state === 'expired';
  return tokens.map(({ prefix, expiresAt }, index) => {
    const until = isEnded || expiresAt === null ? '' : `, valid until ${toTime(expiresAt)}`;
    const replaced = expiresAt === null ? '' : `  replaced${until}`;
    return [index === 0 ? 'Tokens' : '', `${prefix}…${replaced}`];
  });
}

/** Formats a new token, with a note that the token is not shown again. */
export function showToken(token: string): string {
  return `${formatFields([['Token', token]])}\nStore the token now: it is not shown again.\n`;
}

/**
 * Formats the state of a key or an operator. For a revoked key or operator, the text also contains
 * the time of the revocation.
 */
export function toState({ state, revokedAt }: Pick<Key | Operator, 'state' | 'revokedAt'>): string {
  return revokedAt === null ? state : `revoked ${toTime(revokedAt)}`;
}
