import type { AccountDetails, KeyDetails } from '@animal-store/admin-contract';
import { type Bucket, type Ledger, toBuckets } from '../plot/usage.ts';
import { formatCount } from '../time/format.ts';

/** What causes a refusal: the key itself, or the account that it belongs to. */
type Subject = 'key' | 'account';

/** A reason why requests are refused at the moment. */
export type Refusal =
  | { readonly why: 'revoked' | 'expired'; readonly since: string }
  | {
      readonly why: 'suspended';
      readonly subject: Subject;
      readonly since: string;
      /** The reason that an operator gave for the suspension. Callers never see it. */
      readonly reason: string | null;
    }
  | { readonly why: 'banned'; readonly until: string }
  | {
      readonly why: 'keys banned';
      readonly banned: number;
      /** The number of active keys of the account. */
      readonly keys: number;
      /** The time when the last of the bans ends. */
      readonly until: string;
      /**
       * The share of today's requests that came from the banned keys, from 0 to 1; `undefined` if
       * it is unknown.
       */
      readonly share: number | undefined;
    }
  | {
      readonly why: 'keys full';
      /** The number of keys that have used up their own limits. */
      readonly full: number;
      readonly keys: number;
      readonly until: string;
    }
  | { readonly why: 'keys suspended'; readonly suspended: number; readonly keys: number }
  | { readonly why: 'no key' }
  | {
      readonly why: 'used up';
      readonly subject: Subject;
      readonly window: 'minute' | 'day';
      readonly limit: number;
      readonly until: string;
    };

/**
 * Returns the reasons why requests of a key are refused now, in the order in which the service
 * checks them.
 */
export function refusalsOfKey(key: KeyDetails): Refusal[] {
  const { state, revokedAt, expiresAt, suspension, accountSuspension, usage } = key;
  // The service refuses every request with a revoked or expired key, so other reasons are not
  // checked.
  if (state === 'revoked' && revokedAt !== null) return [{ why: 'revoked', since: revokedAt }];
  if (state === 'expired' && expiresAt !== null) return [{ why: 'expired', since: expiresAt }];
  return [
    ...suspensions('key', state === 'suspended' ? suspension : null),
    ...suspensions('account', accountSuspension),
    ...(usage.bannedUntil === null ? [] : [{ why: 'banned', until: usage.bannedUntil } as const]),
    ...fullWindows(usage.subject, usage.windows, key.inForce.quota),
  ];
}

function bansOf({ bans, bannedKeys, busiestKeys, keys, requestsToday }: AccountDetails): Refusal[] {
  // The service sorts the bans by their end, the latest first.
  const [last] = bans;
  if (last === undefined) return [];
  const requests = new Map(busiestKeys.map((key) => [key.keyId, key.requests]));
  const sum = bans.reduce((all, { keyId }) => all + (requests.get(keyId) ?? Number.NaN), 0);
  const share = sum > 0 ? sum / requestsToday : undefined;
  return [{ why: 'keys banned', banned: bannedKeys, keys, until: last.until, share }];
}

/**
 * Returns the reasons for refusals that come from the states of an account's keys. Bans are not
 * included, because `bansOf` returns them.
 */
function refusalsOfKeys({ keys, suspension, fullKeys, suspendedKeys }: AccountDetails): Refusal[] {
  if (keys === 0) return [{ why: 'no key' }];
  const suspended = suspension === null ? suspendedKeys : 0;
  const ends = fullKeys.map(({ windows }) =>
    [windows.minute, windows.day]
      .filter(({ remaining }) => remaining === 0)
      .map(({ resetsAt }) => resetsAt)
      .sort()
      .at(-1),
  );
  const until = ends.sort().at(-1);
  return [
    ...(suspended === 0 ? [] : [{ why: 'keys suspended', suspended, keys } as const]),
    ...(until === undefined
      ? []
      : [{ why: 'keys full', full: fullKeys.length, keys, until } as const]),
  ];
}

/**
 * Formats how many keys of an account are affected, as the start of a sentence such as "2 of its
 * keys are …".
 */
export function affectedKeysText(affected: number, all: number, kind = ''): string {
  if (all === 1) return `Its only ${kind}key is`;
  if (affected >= all) return `All ${formatCount(all)} of its ${kind}keys are`;
  return `${formatCount(affected)} of its ${formatCount(all)} ${kind}keys ${affected === 1 ? 'is' : 'are'}`;
}

/** Returns the reasons why requests of all or some keys of an account are refused now. */
export function refusalsOfAccount(account: AccountDetails): Refusal[] {
  const { suspension, usage, quota } = account;
  const isShared = usage !== null && quota !== null;
  return [
    ...suspensions('account', suspension),
    ...bansOf(account),
    ...refusalsOfKeys(account),
    ...(isShared ? fullWindows('account', usage.windows, quota) : []),
  ];
}

function suspensions(subject: Subject, suspension: KeyDetails['suspension']): Refusal[] {
  if (suspension === null) return [];
  return [{ why: 'suspended', subject, since: suspension.at, reason: suspension.reason }];
}

/**
 * Returns the windows that have no requests left.
 *
 * @param quota the configured limits. The limits in `windows` are not used, because they are
 *   smaller during a Redis outage: each replica then has only a share of each limit.
 */
function fullWindows(
  subject: Subject,
  windows: KeyDetails['usage']['windows'],
  quota: KeyDetails['quota'],
): Refusal[] {
  const limits = { minute: quota.perMinute, day: quota.perDay };
  return (['minute', 'day'] as const).flatMap((window): Refusal[] => {
    const { remaining, resetsAt } = windows[window];
    const limit = limits[window];
    return remaining > 0 ? [] : [{ why: 'used up', subject, window, limit, until: resetsAt }];
  });
}

/** The number of refused requests in a period, and the buckets that contain denied requests. */
export interface Denials {
  readonly from: string;
  readonly to: string;
  /** The buckets that contain denied requests (429), the earliest first. */
  readonly buckets: readonly Bucket[];
  readonly denied: number;
  /**
   * The number of requests that were refused with 401 or 403, because the key was suspended,
   * revoked or expired, or its token was replaced.
   */
  readonly refused: number;
  /** The number of all requests in the period. */
  readonly requests: number;
}

/** Returns how many requests of a bucket were denied with a 429. */
const deniedIn = ({ counts }: Bucket): number => counts.denied + counts.banned;

/** Finds the requests in the usage history that were denied with a 429. */
export function findDenials(ledger: Ledger): Denials {
  const all = toBuckets(ledger);
  const buckets = all.filter((bucket) => deniedIn(bucket) > 0);
  return {
    from: ledger.from,
    to: ledger.to,
    buckets,
    denied: buckets.reduce((sum, bucket) => sum + deniedIn(bucket), 0),
    refused: all.reduce((sum, { counts }) => sum + counts.refused, 0),
    requests: all.reduce((sum, { total }) => sum + total, 0),
  };
}
