import { maxLimit, type Quota } from './quota.ts';

/** Who makes requests, such as an API key, under the account that it has or had. */
export interface ConsumerId {
  readonly id: string;
  /** The account whose windows it shares with others. Without an account, it has windows of its own. */
  readonly accountId?: string | undefined;
}

/** A consumer with its quota. Bans belong to the consumer, counts to the subject: the consumer or its account. */
export interface Consumer extends ConsumerId {
  /** The quota of its subject. */
  readonly quota: Quota;
}

/** Called when a ban begins, only on the replica whose request began it. */
export type OnBan = (ban: {
  consumer: Consumer;
  seconds: number;
  /** Unix time in milliseconds, by the clock that decided. */
  startedAtMs: number;
  /** Whether all replicas decide so, or this one alone, because Redis is down. */
  scope: 'service' | 'replica';
}) => void;

/**
 * Checks a consumer: a quota that is no number would make the script in Redis fail.
 *
 * @throws {TypeError} if an id is empty or no text, or if a limit is no integer from 1 to {@link maxLimit}.
 */
export function checkConsumer(consumer: Consumer): void {
  checkConsumerId(consumer);
  const { perMinute, perDay } = consumer.quota ?? {};
  checkLimit('quota.perMinute', perMinute);
  checkLimit('quota.perDay', perDay);
}

/** @throws {TypeError} if an id is empty or no text. */
export function checkConsumerId({ id, accountId }: ConsumerId): void {
  checkId('id', id);
  if (accountId !== undefined) checkId('accountId', accountId);
}

/** @throws {TypeError} if the limit is no integer from 1 to {@link maxLimit}. */
export function checkLimit(name: string, limit: unknown): void {
  if (Number.isInteger(limit) && (limit as number) >= 1 && (limit as number) <= maxLimit) return;
  throw new TypeError(`${name}: expected an integer from 1 to ${maxLimit}, got ${String(limit)}`);
}

function checkId(name: string, id: unknown): void {
  if (typeof id === 'string' && id !== '') return;
  throw new TypeError(`${name}: expected a text that is not empty, got ${JSON.stringify(id)}`);
}

/**
 * Names the subject of a consumer. Redis Cluster hashes what is between the braces, so that all names of a subject are
 * in one slot.
 */
export function subjectOf({ id, accountId }: ConsumerId): string {
  return accountId === undefined ? `key:{${escapeId(id)}}` : `account:{${escapeId(accountId)}}`;
}

const special = /[{}%]/g;

/** Escapes what would end the hash tag of a name, or make two ids look the same. */
export function escapeId(id: string): string {
  // Most ids need no change, and a test costs less than a replacement.
  return /[{}%]/.test(id) ? id.replace(special, encodeURIComponent) : id;
}
