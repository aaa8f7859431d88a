import { maxLimit, type Quota } from './quota.ts';

/** A caller that makes requests, such as an API key, with its present or former account. */
export interface ConsumerId {
  readonly id: string;
  /**
   * The account whose windows the consumer shares. A consumer without an account has its own
   * windows.
   */
  readonly accountId?: string | undefined;
}

/**
 * A consumer with its quota. Bans belong to the consumer. Counts belong to the subject, which is
 * the consumer or its account.
 */
export interface Consumer extends ConsumerId {
  /** The quota of the subject. */
  readonly quota: Quota;
}

/** Called when a ban begins, only on the replica whose request began it. */
export type OnBan = (ban: {
  consumer: Consumer;
  seconds: number;
  /** Unix time in milliseconds, by the clock that decided. */
  startedAtMs: number;
  /**
   * Whether Redis decides for all replicas, or this replica decides alone because Redis is down.
   */
  scope: 'service' | 'replica';
}) => void;

/**
 * Checks a consumer, because an invalid quota would make the script in Redis fail.
 *
 * @throws {TypeError} if an id is not a non-empty string, or if a limit is not an integer from 1 to
 *   {@link maxLimit}.
 */
export function checkConsumer(consumer: Consumer): void {
  checkConsumerId(consumer);
  const { perMinute, perDay } = consumer.quota ?? {};
  checkLimit('quota.perMinute', perMinute);
  checkLimit('quota.perDay', perDay);
}

/**
 * Checks the ids of a consumer.
 *
 * @throws {TypeError} if an id is not a non-empty string.
 */
export function checkConsumerId({ id, accountId }: ConsumerId): void {
  checkId('id', id);
  if (accountId !== undefined) checkId('accountId', accountId);
}

/**
 * Checks a limit.
 *
 * @throws {TypeError} if the limit is not an integer from 1 to {@link maxLimit}.
 */
export function checkLimit(name: string, limit: unknown): void {
  if (Number.isInteger(limit) && (limit as number) >= 1 && (limit as number) <= maxLimit) return;
  throw new TypeError(`${name}: expected an integer from 1 to ${maxLimit}, got ${String(limit)}`);
}

function checkId(name: string, id: unknown): void {
  if (typeof id === 'string' && id !== '') return;
  throw new TypeError(`${name}: expected a non-empty string, got ${JSON.stringify(id)}`);
}

/**
 * Returns the name of a consumer's subject. Redis Cluster hashes the text between the braces, so
 * that all names of a subject are in one slot.
 */
export function subjectOf({ id, accountId }: ConsumerId): string {
  return accountId === undefined ? `key:{${escapeId(id)}}` : `account:{${escapeId(accountId)}}`;
}

const special = /[{}%]/g;

/** Escapes characters that would end the hash tag of a name, or make two ids look the same. */
export function escapeId(id: string): string {
  // Most ids need no change, and the test costs less than the replacement.
  return /[{}%]/.test(id) ? id.replace(special, encodeURIComponent) : id;
}
