import type { AccountDetails, KeyDetails } from '@animal-store/admin-contract';
import { type Bucket, type Ledger, toBuckets } from '../plot/usage.ts';
import { formatCount } from '../time/format.ts';

/** The cause of a refusal: the key or its account. */
type Whose = 'key' | 'account';

/** Why requests are refused now. */
export type Refusal =
  | { readonly why: 'revoked' | 'expired'; readonly since: string }
  | {
      readonly why: 'suspended';
      readonly whose: Whose;
      readonly since: string;
      /** The reason for operators. Callers do not see it. */
      readonly reason: string | null;
    }
  | { readonly why: 'banned'; readonly until: string }
  | {
      readonly why: 'keys banned';
      readonly banned: number;
      /** The number of keys that may call. */
      readonly keys: number;
      /** When the last of the bans ends. */
      readonly until: string;
      /** Their share of today's requests, from 0 to 1; `undefined` if it is unknown. */
      readonly share: number | undefined;
    }
  | {
      readonly why: 'keys full';
      /** How many of the examined keys have used up their own limits. */
      readonly full: number;
      readonly keys: number;
      readonly until: string;
    }
  | { readonly why: 'keys suspended'; readonly suspended: number; readonly keys: number }
  | { readonly why: 'no key' }
  | {
      readonly why: 'used up';
      readonly whose: Whose;
      readonly window: 'minute' | 'day';
      readonly limit: number;
      readonly until: string;
    };

/** Returns why requests of a key are refused now, in the order of the service's checks. */
export function refusalsOfKey(key: KeyDetails): Refusal[] {
  const { state, revokedAt, expiresAt, suspension, accountSuspension, usage } = key;
  // Nothing else matters then.
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
  // Bans that end last come first.
  const [last] = bans;
  if (last === undefined) return [];
  const requests = new Map(busiestKeys.map((key) => [key.keyId, key.requests]));
  const sum = bans.reduce((all, { keyId }) => all + (requests.get(keyId) ?? Number.NaN), 0);
  const share = sum > 0 ? sum / requestsToday : undefined;
  return [{ why: 'keys banned', banned: bannedKeys, keys, until: last.until, share }];
}

/** Returns the reasons that affect single keys of an account, besides bans. */
function refusalsOfKeys({ keys, suspension, fullKeys, newestKeys }: AccountDetails): Refusal[] {
  if (keys === 0) return [{ why: 'no key' }];
  const suspended =
    suspension === null ? newestKeys.filter(({ state }) => state === 'suspended').length : 0;
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

/** Formats how many keys of an account are affected, as the start of a sentence. */
export function someOf(some: number, all: number, kind = ''): string {
  if (all === 1) return `Its only ${kind}key is`;
  if (some >= all) return `All ${formatCount(all)} of its ${kind}keys are`;
  return `${formatCount(some)} of its ${formatCount(all)} ${kind}keys ${some === 1 ? 'is' : 'are'}`;
}

/** Returns why requests of all or some keys of an account are refused now. */
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

function suspensions(whose: Whose, suspension: KeyDetails['suspension']): Refusal[] {
  if (suspension === null) return [];
  return [{ why: 'suspended', whose, since: suspension.at, reason: suspension.reason }];
}

/**
 * @param quota the whole limits: during an outage of Redis, the windows have the share of a
 *   replica.
 */
function fullWindows(
  whose: Whose,
  windows: KeyDetails['usage']['windows'],
  quota: KeyDetails['quota'],
): Refusal[] {
  const limits = { minute: quota.perMinute, day: quota.perDay };
  return (['minute', 'day'] as const).flatMap((window): Refusal[] => {
    const { remaining, resetsAt } = windows[window];
    const limit = limits[window];
    return remaining > 0 ? [] : [{ why: 'used up', whose, window, limit, until: resetsAt }];
  });
}

/** The refused requests of a period, and when they got a 429. */
export interface Denials {
  readonly from: string;
  readonly to: string;
  /** The buckets with denials, the earliest first. */
  readonly buckets: readonly Bucket[];
  readonly denied: number;
  /** The requests that got a 401 or 403, because the key was not valid at that time. */
  readonly refused: number;
  /** All requests of the period. */
  readonly requests: number;
}

/** Returns how many requests of a bucket got a 429. */
const deniedIn = ({ counts }: Bucket): number => counts.denied + counts.banned;

/** Finds in the ledger when requests got a 429. */
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
