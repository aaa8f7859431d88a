import type { Quota, RateLimit, RateLimitWindow } from '@animal-store/contract';

/**
 * Counts requests and decides which to admit. One instance serves one replica; instances on the
 * same Redis decide as one.
 *
 * A request of a key is admitted only if the minute and the day both have room; then it costs one
 * in both. A denied request costs nothing in either. Windows are fixed: the first request opens one,
 * and its end does not move until it is reached.
 */
export interface Quotas {
  /** Decides one request of an API key, and counts it if it is admitted. */
  takeForKey(key: QuotaKey): Promise<QuotaDecision>;
  /** Decides one request that brings no valid key, by the network it comes from. */
  takeForAddress(network: string): Promise<QuotaDecision>;
  /** Tells how an address stands, and counts nothing. */
  peekAddress(network: string): Promise<QuotaDecision>;
  /** Tells how a key stands, and counts nothing. */
  usageOf(key: QuotaKey): Promise<KeyUsage>;
  /** Ends a key's ban, here at once, and forgets its strikes and earlier bans. Counts stay. */
  pardon(id: string): Promise<void>;
  /** Takes note that a key was pardoned through another replica. */
  notePardon(id: string): void;
  close(): Promise<void>;
}

/** Is told of each ban when it begins, by the replica whose request began it and by no other. */
export type OnBan = (ban: { keyId: string; seconds: number }) => void;

/** How a key stands. */
export interface KeyUsage {
  /** Whose requests these are: all that the service has answered, or this replica's own alone. */
  readonly scope: 'service' | 'replica';
  readonly windows: readonly RateLimitWindow[];
  /** Strikes of the current episodes, and how many are borne; `undefined` if bans are off. */
  readonly strikes: number;
  readonly strikeThreshold: number | undefined;
  /** Unix time in seconds. */
  readonly bannedUntil: number | undefined;
}

/** What a key's requests are counted under, and how many it may make. */
export interface QuotaKey {
  readonly id: string;
  readonly quota: Quota;
}

/** The answer to one request. */
export interface QuotaDecision {
  readonly outcome: 'admitted' | 'denied' | 'banned';
  /** The most restrictive window, which the `X-RateLimit-*` headers tell of. */
  readonly reported: RateLimit;
  /** Every window that applies. */
  readonly windows: readonly RateLimitWindow[];
  /** Whole seconds, at least 1, after which a request is admitted again; 0 if this one was. */
  readonly retryAfterSeconds: number;
  /** Whether the caller is on its way to a ban, and should be told. */
  readonly warned: boolean;
}
