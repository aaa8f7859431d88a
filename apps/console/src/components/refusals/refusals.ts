import type { AccountDetails, KeyDetails } from '@animal-store/admin-contract';
import { type Bucket, type Ledger, toBuckets } from '../plot/usage.ts';
import { formatCount } from '../time/format.ts';

/** Whose fault or limit it is. */
type Whose = 'key' | 'account';

/** Why requests are refused now. */
export type Refusal =
  | { readonly why: 'revoked' | 'expired'; readonly since: string }
  | {
      readonly why: 'suspended';
      readonly whose: Whose;
      readonly since: string;
      /** For operators: callers are not told. */
      readonly reason: string | null;
    }
  | { readonly why: 'banned'; readonly until: string }
  | {
      readonly why: 'keys banned';
      readonly banned: number;
      /** Of how many keys that may call. */
      readonly keys: number;
      /** When the last of the bans ends. */
      readonly until: string;
      /** Their part of today's requests, from 0 to 1; `undefined` if it is not known. */
      readonly share: number | undefined;
    }
  | {
      readonly why: 'keys full';
      /** How many keys have used up limits of their own, of those that were looked at. */
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

/** Why requests of a key are refused now, in the order in which the service finds out. */
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
  // Those that end last come first.
  const [last] = bans;
  if (last === undefined) return [];
  const requests = new Map(busiestKeys.map((key) => [key.keyId, key.requests]));
  const sum = bans.reduce((all, { keyId }) => all + (requests.get(keyId) ?? Number.NaN), 0);
  const share = sum > 0 ? sum / requestsToday : undefined;
  return [{ why: 'keys banned', banned: bannedKeys, keys, until: last.until, share }];
}

/** What refuses keys of an account one by one, besides bans. */
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

/** How many keys of an account something holds for, as the start of a sentence. */
export function someOf(some: number, all: number, kind = ''): string {
  if (all === 1) return `Its only ${kind}key is`;
  if (some >= all) return `All ${formatCount(all)} of its ${kind}keys are`;
  return `${formatCount(some)} of its ${formatCount(all)} ${kind}keys ${some === 1 ? 'is' : 'are'}`;
}

/** Why requests of all or of some keys of an account are refused now. */
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

/** @param quota the whole limits: while Redis is away, windows have the share of a replica. */
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

/** The requests of a span of time that were refused, and when they got a 429. */
export interface Denials {
  readonly from: string;
  readonly to: string;
  /** Those with denials, the earliest first. */
  readonly buckets: readonly Bucket[];
  readonly denied: number;
  /** Those that got a 401 or 403, because the key was not valid then. */
  readonly refused: number;
  /** All requests of the span. */
  readonly requests: number;
}

/** How many requests of a bucket got a 429. */
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
