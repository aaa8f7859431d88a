import type { Clock } from '@animal-store/runtime';
import type { BanPolicy } from './ban-policy.ts';
import type { BreakerState } from './circuit-breaker.ts';
import { type OnBan, quoteValue } from './consumer.ts';
import type { RedisSource } from './open-redis.ts';
import { checkNames } from './option-names.ts';
import { maxLimit } from './quota.ts';
import { parseSentinelUrl } from './sentinel-url.ts';

/** The options of `createQuotas`. Each option has a default. */
export interface QuotasOptions {
  /**
   * The Redis in which all replicas count together: a URL (`redis://`, `rediss://`,
   * `redis+sentinel://`), several URLs of one Cluster, or an ioredis client. The quotas use a
   * duplicate of that client.
   *
   * An empty list is refused. A list that a program makes from an empty setting would otherwise give
   * the whole quota to each replica.
   * @default the memory of this process, for a service with one replica
   */
  readonly redis?: RedisSource | undefined;
  /**
   * The prefix of all Redis keys. Services that share a Redis need different prefixes.
   * @default 'quotas'
   */
  readonly prefix?: string | undefined;
  /**
   * The rules for banning a consumer that ignores 429 responses, or `false` to ban nobody.
   * @default `defaultBanPolicy`
   */
  readonly banPolicy?: BanPolicy | false | undefined;
  /**
   * Returns how many replicas of the service share each quota while Redis is down. Each replica
   * then admits the quota divided by this number, rounded up. A number below 1 counts as 1. Called
   * for each request.
   * @default () => 1
   */
  readonly replicas?: (() => number) | undefined;
  /**
   * How long a request waits for Redis to decide whether to admit it, in milliseconds. Afterwards,
   * this replica of the service decides alone.
   * @default 150
   */
  readonly timeoutMs?: number | undefined;
  /**
   * How often this replica of the service probes a Redis that is down, in milliseconds. @default
   * 250
   */
  readonly probeEveryMs?: number | undefined;
  /** The timeout for establishing a connection to Redis, in milliseconds. @default 1000 */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * How long `createQuotas` waits for Redis, in milliseconds. Afterwards, the quotas start
   * without Redis.
   * @default 1000
   */
  readonly firstConnectionTimeoutMs?: number | undefined;
  /**
   * Called when a ban begins, on the replica of the service that received the request with which
   * the ban began.
   */
  readonly onBan?: OnBan | undefined;
  /**
   * Called when Redis stops deciding about requests (`open`), with the reason, and when Redis
   * decides again (`closed`).
   */
  readonly onBreaker?: ((state: BreakerState, reason: unknown) => void) | undefined;
  /** Called once with a message for operators if a setting of Redis makes the counts inexact. */
  readonly onWarning?: ((sentence: string) => void) | undefined;
  /** The clock by which this process decides about requests in memory. @default the system clock */
  readonly clock?: Clock | undefined;
  /** The clock by which Redis decides about requests, for tests. @default Redis's own clock */
  readonly redisClock?: Pick<Clock, 'now'> | undefined;
}

const durations = [
  'timeoutMs',
  'probeEveryMs',
  'connectTimeoutMs',
  'firstConnectionTimeoutMs',
] as const;
const functions = ['replicas', 'onBan', 'onBreaker', 'onWarning'] as const;
const policyNumbers: readonly (keyof BanPolicy)[] = [
  'graceMs',
  'minStrikes',
  'strikeShare',
  'strikeWindowSeconds',
  'banSeconds',
  'maxBanSeconds',
  'memorySeconds',
];

/** The options of `createMemoryQuotas`. */
export const memoryOptions = ['clock', 'banPolicy', 'onBan'] as const;
const allOptions: readonly (keyof QuotasOptions)[] = [
  ...(['redis', 'prefix', 'banPolicy', 'clock', 'redisClock'] as const),
  ...durations,
  ...functions,
];

/**
 * Checks the options of `createQuotas`. Without this check, some mistakes would only show during an
 * outage of Redis: for example, `replicas: 3` instead of a function would make every request fail.
 * Other mistakes would never show. For example, with an empty URL, ioredis connects to a Redis on
 * this machine, and a misspelt `banPolicy` would have no effect.
 *
 * @param names the names that the options may have.
 * @throws {TypeError} that names the option. The message never quotes a URL, because it may contain
 *   a password.
 */
export function checkQuotasOptions(
  options: QuotasOptions,
  names: readonly (keyof QuotasOptions)[] = allOptions,
): void {
  if (Object(options) !== options) {
    throw new TypeError(`options: expected an object, got ${quoteValue(options)}`);
  }
  checkNames(options, names);
  checkRedis(options.redis);
  const { prefix, banPolicy } = options;
  if (prefix !== undefined && (typeof prefix !== 'string' || prefix === '')) {
    throw new TypeError(`prefix: expected a non-empty string, got ${quoteValue(prefix)}`);
  }
  for (const name of durations) {
    const value = options[name];
    if (value === undefined || (value >= 1 && value <= maxLimit && Number.isInteger(value)))
      continue;
    // `setTimeout` fires immediately for a longer delay.
    throw new TypeError(
      `${name}: expected an integer from 1 to ${maxLimit}, got ${quoteValue(value)}`,
    );
  }
  for (const name of functions) {
    const value: unknown = options[name];
    if (value === undefined || typeof value === 'function') continue;
    throw new TypeError(`${name}: expected a function, got ${quoteValue(value)}`);
  }
  for (const name of ['clock', 'redisClock'] as const) {
    const value: unknown = options[name];
    if (value === undefined || typeof Object(value).now === 'function') continue;
    throw new TypeError(`${name}: expected an object with now(), got ${quoteValue(value)}`);
  }
  if (banPolicy !== undefined && banPolicy !== false) checkBanPolicy(banPolicy);
}

function checkRedis(redis: unknown): void {
  const expected = 'redis: expected a URL such as redis://127.0.0.1:6379, or an ioredis client';
  const isList = Array.isArray(redis);
  const urls = isList ? redis : [redis];
  if (urls.length === 0) {
    throw new TypeError(
      `${expected}; got an empty list. To count in the memory of this process, leave out the option`,
    );
  }
  for (const url of urls) {
    if (url === undefined && !isList) continue;
    if (typeof url !== 'string') {
      // Only a client of ioredis has the method `duplicate`. An object with options of ioredis,
      // such as a host and a port, is refused. A list contains only URLs.
      if (typeof Object(url).duplicate === 'function' && !isList) continue;
      throw new TypeError(
        `${expected}; got ${url === null ? 'null' : typeof url}${isList ? ' in a list' : ''}`,
      );
    }
    const [, protocol] = /^([a-z][a-z\d+.-]*):\/\//i.exec(url) ?? [];
    if (url.trim() === '') throw new TypeError(`${expected}; got an empty string`);
    if (protocol !== undefined && !/^rediss?(\+sentinel)?$/i.test(protocol)) {
      throw new TypeError(`${expected}; got a URL with ${protocol}:`);
    }
    // ioredis would take a URL of Sentinels for the path of a Unix socket.
    if (protocol?.endsWith('+sentinel') && (urls.length > 1 || !parseSentinelUrl(url))) {
      throw new TypeError(
        'redis: expected one URL such as redis+sentinel://host:port,host:port/name for all Sentinels, where name is the name of the primary; got another form',
      );
    }
    const isPlain = protocol === undefined && urls.length === 1;
    if (!isPlain && !protocol?.endsWith('+sentinel') && !URL.canParse(url)) {
      throw new TypeError(`${expected}; got an invalid URL. Write the URLs of a Cluster as a list`);
    }
    // ioredis would ignore both parts in silence.
    const { search, pathname } = urls.length > 1 ? new URL(url) : { search: '', pathname: '' };
    if (search !== '') {
      throw new TypeError(
        'redis: expected URLs of a Cluster without parameters; got a question mark. To set options, pass a Cluster client of ioredis',
      );
    }
    if (!/^(\/0*)?$/.test(pathname)) {
      throw new TypeError(
        'redis: expected URLs of a Cluster without a path; got one. A Cluster has only database 0',
      );
    }
  }
}

function checkBanPolicy(policy: BanPolicy): void {
  if (Object(policy) !== policy) {
    throw new TypeError(`banPolicy: expected an object or false, got ${quoteValue(policy)}`);
  }
  checkNames(policy, policyNumbers, 'banPolicy.');
  for (const name of policyNumbers) {
    const value: unknown = policy[name];
    if (typeof value === 'number' && value >= 0 && Number.isFinite(value)) continue;
    throw new TypeError(
      `banPolicy.${name}: expected a number from 0, got ${quoteValue(value)}. To change one number, pass { ...defaultBanPolicy, ${name}: … }`,
    );
  }
}
