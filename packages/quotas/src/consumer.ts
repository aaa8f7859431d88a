import { maxLimit, type Quota } from './quota.ts';

/** The id of a consumer (a caller with a quota, such as an API key), and the id of its account. */
export interface ConsumerId {
  readonly id: string;
  /**
   * The account whose windows the consumer shares. Without an account, the consumer has its own
   * windows.
   */
  readonly accountId?: string | undefined;
}

/**
 * A consumer (a caller with a quota) and its quota. A ban belongs to the consumer itself. The
 * request counts belong to its subject, which is the account, or the consumer if it has no account.
 */
export interface Consumer extends ConsumerId {
  /** The quota that applies to the subject: the account, or the consumer if it has no account. */
  readonly quota: Quota;
}

/**
 * A function that is called when a ban begins, on the replica that received the request with which
 * the ban began.
 */
export type OnBan = (ban: {
  consumer: Consumer;
  seconds: number;
  /**
   * The start of the ban, as Unix time in milliseconds by the clock of Redis or of this replica,
   * whichever decided.
   */
  startedAtMs: number;
  /**
   * Whether Redis decided for all replicas of the service (`service`), or this replica decided
   * alone during an outage of Redis (`replica`).
   */
  scope: 'service' | 'replica';
}) => void;

/**
 * Checks a consumer. Without this check, an invalid quota would make the script in Redis fail.
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
 * @throws {TypeError} if the consumer is not an object, or if an id is not a non-empty string.
 */
export function checkConsumerId(consumer: ConsumerId): void {
  if (Object(consumer) !== consumer) {
    throw new TypeError(`consumer: expected an object, got ${quoteValue(consumer)}`);
  }
  const { id, accountId } = consumer;
  checkId('id', id);
  if (accountId !== undefined) checkId('accountId', accountId);
  else if (!('accountId' in consumer)) checkAccountName(consumer);
}

/**
 * Refuses another spelling of `accountId`, because the consumer would get its own quota in addition
 * to the quota of its account. Other unknown properties are accepted, because callers may pass an
 * object of their own, such as a stored key. All other properties of a consumer are required, so a
 * misspelt name of another property is refused as a missing one.
 */
function checkAccountName(consumer: ConsumerId): void {
  for (const name in consumer) {
    if (!/^account[_-]?id$/i.test(name)) continue;
    throw new TypeError(`${name}: unknown property, expected accountId`);
  }
}

/**
 * Checks the limit of a window.
 *
 * @throws {TypeError} if the limit is not an integer from 1 to {@link maxLimit}.
 */
export function checkLimit(name: string, limit: unknown): void {
  if (Number.isInteger(limit) && (limit as number) >= 1 && (limit as number) <= maxLimit) return;
  throw new TypeError(
    `${name}: expected an integer from 1 to ${maxLimit}, got ${quoteValue(limit)}`,
  );
}

/**
 * Checks an id.
 *
 * @throws {TypeError} if the id is not a non-empty string.
 */
export function checkId(name: string, id: unknown): void {
  if (typeof id === 'string' && id !== '') return;
  throw new TypeError(`${name}: expected a non-empty string, got ${quoteValue(id)}`);
}

/**
 * Formats an invalid value for an error message. A text is quoted, so that `"5"` is different from
 * `5`.
 */
export function quoteValue(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/**
 * Returns the part of a Redis key that identifies a consumer's subject: its account, or the
 * consumer itself. Redis Cluster computes the slot of a Redis key from the text between the braces,
 * so all Redis keys of a subject are in the same slot.
 */
export function subjectOf({ id, accountId }: ConsumerId): string {
  return accountId === undefined ? `key:{${escapeId(id)}}` : `account:{${escapeId(accountId)}}`;
}

const reservedCharacters = /[{}%]/g;

/**
 * Escapes the characters `{`, `}` and `%` of an id. Braces would change the hash tag of a Redis
 * key. Without escaping `%`, two ids could get the same Redis key.
 */
export function escapeId(id: string): string {
  // Most ids contain no special character. A test with the pattern is cheaper than a replacement
  // that changes nothing.
  return /[{}%]/.test(id) ? id.replace(reservedCharacters, encodeURIComponent) : id;
}
